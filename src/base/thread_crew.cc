#include "base/thread_crew.h"

#include "base/check.h"
#include "base/flush_mode.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bolide {
namespace {

// About 20 microseconds awake; longer only steals the core from somebody who has work.
constexpr u32 kSpins = 1000;

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

// Waits until `value` is no longer `old`; awake at first, then asleep.
void wait_for_change(const std::atomic<u32>& value, u32 old) {
  for (u32 i = 0; i < kSpins; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    pause();
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

ThreadCrew::ThreadCrew(u32 size) {
  check(size > 0, "a crew has its caller at least");
  workers_.reserve(size - 1);
  for (u32 thread = 1; thread < size; ++thread) workers_.emplace_back([this, thread] { serve(thread); });
}

ThreadCrew::~ThreadCrew() {
  closing_.store(true, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadCrew::run(Call call, const void* work) {
  const FlushMode flush(true);
  if (!workers_.empty()) {
    call_ = call;
    work_ = work;
    busy_.store(static_cast<u32>(workers_.size()), std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }
  call(work, 0);
  for (u32 busy = busy_.load(std::memory_order_acquire); busy != 0; busy = busy_.load(std::memory_order_acquire)) {
    wait_for_change(busy_, busy);
  }
}

void ThreadCrew::serve(u32 thread) {
  const FlushMode flush(true);
  for (u32 round = 0;;) {
    wait_for_change(round_, round);
    // A worker takes part in every round, so the number cannot have moved on by more than one.
    if (round_.load(std::memory_order_acquire) == round) continue;
    ++round;
    if (closing_.load(std::memory_order_relaxed)) return;
    call_(work_, thread);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

}  // namespace bolide
