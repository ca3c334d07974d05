// Shared by the forms that a synthetic model is written in.
#pragma once
#include <functional>
#include <mutex>

#include "convert/synth.h"
#include "convert/synth_numbers.h"

namespace bolide::convert {

inline constexpr u64 kMakingBytes = 64 * 1024;  // made at a time; a multiple of 16 that stays in the cache

u32 thread_count(const SynthRun& run);

// Counts what is done and tells it, one thread at a time.
class MakingProgress {
 public:
  MakingProgress(const SynthRun& run, u64 total) : tell_(run.progress), total_(total) {}
  void add(u64 bytes);

 private:
  const std::function<void(u64, u64)>& tell_;
  const u64 total_;
  std::mutex mutex_;
  u64 done_ = 0;  // guarded by mutex_
};

// Makes a plane piece by piece.
Status make_plane(u64 seed, const NumberPlane& plane, const std::function<Status(Bytes)>& append);

}  // namespace bolide::convert
