#include "support/allocation_meter.h"

#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <new>

namespace {

std::atomic<bolide::u64> allocated_bytes{0};

void* count_and_allocate(std::size_t size) {
  allocated_bytes += size;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// The replaceable allocation functions of the whole program. Inlined, they would look to g++ like malloc met by delete;
// the array forms are here because those of the address sanitizer's library do not call ours.
[[gnu::noinline]] void* operator new(std::size_t size) {
  return count_and_allocate(size);
}
[[gnu::noinline]] void* operator new[](std::size_t size) {
  return count_and_allocate(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace bolide::test {

AllocationMeter::AllocationMeter() : start_(allocated_bytes) {}

u64 AllocationMeter::bytes() const {
  return allocated_bytes - start_;
}

TEST(AllocationMeter, CountsWhatIsAllocated) {
  const AllocationMeter meter;
  const auto memory = std::make_unique<char[]>(100'000);
  EXPECT_NE(memory, nullptr);
  EXPECT_GE(meter.bytes(), 100'000u);
  EXPECT_LT(meter.bytes(), 200'000u);
}

}  // namespace bolide::test
