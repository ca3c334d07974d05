#include "base/flush_mode.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace bolide {
namespace {

#if defined(__x86_64__)
constexpr u64 kFlushBits = 0x8040;  // MXCSR: flush to zero, denormals are zero
u64 read_control() {
  return _mm_getcsr();
}
void write_control(u64 value) {
  _mm_setcsr(static_cast<u32>(value));
}
#elif defined(__aarch64__)
constexpr u64 kFlushBits = 1u << 24;  // FPCR.FZ
u64 read_control() {
  u64 value;
  asm volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
void write_control(u64 value) {
  asm volatile("msr fpcr, %0" : : "r"(value));
}
#else
#error "Bolide runs on x86-64 and ARM64"
#endif

}  // namespace

FlushMode::FlushMode(bool flush) : saved_(read_control()) {
  write_control(flush ? saved_ | kFlushBits : saved_ & ~kFlushBits);
}
FlushMode::~FlushMode() {
  write_control(saved_);
}

}  // namespace bolide
