// A fixed crew of threads for many short pieces of work, hundreds per token: each waits a few microseconds awake for
// the next piece, then sleeps (design: dependencies.md 6).
#pragma once
#include <atomic>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/types.h"

namespace bolide {

// For one caller at a time, which is thread 0 of the crew.
class ThreadCrew {
 public:
  // `size` threads in all, at least one.
  explicit ThreadCrew(u32 size);
  ThreadCrew(const ThreadCrew&) = delete;
  ThreadCrew& operator=(const ThreadCrew&) = delete;
  ~ThreadCrew();

  u32 size() const { return static_cast<u32>(workers_.size()) + 1; }

  // Calls work(thread) once on every thread of the crew, from 0 to size() - 1, and returns when all have returned; what
  // they wrote is then seen by the caller. Subnormals are flushed meanwhile (design: arithmetic.md rule 0). `work` must
  // not throw and must not call the crew.
  template <class Work>
  void run(const Work& work) {
    run([](const void* w, u32 thread) { (*static_cast<const Work*>(w))(thread); }, &work);
  }

 private:
  using Call = void (*)(const void* work, u32 thread);

  void run(Call call, const void* work);
  void serve(u32 thread);

  Call call_ = nullptr;
  const void* work_ = nullptr;
  // On lines of their own, because every thread looks at them while it waits.
  alignas(64) std::atomic<u32> round_ = 0;  // grows with each piece of work
  alignas(64) std::atomic<u32> busy_ = 0;   // workers that have not finished the round
  std::atomic<bool> closing_ = false;
  std::vector<std::thread> workers_;
};

// The part of [0, total) that is a thread's: contiguous, in the order of the threads, as even as it can be.
struct ThreadShare {
  u64 first;
  u64 end;
};
constexpr ThreadShare thread_share(u64 total, u32 thread, u32 threads) {
  return {total * thread / threads, total * (thread + 1) / threads};
}

}  // namespace bolide
