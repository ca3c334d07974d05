// How many bytes of an output are done, counted by several threads.
#pragma once
#include <functional>
#include <mutex>

#include "base/types.h"

namespace bolide::convert {

// Told by one thread at a time, often.
using TellProgress = std::function<void(u64 done, u64 total)>;

class ByteProgress {
 public:
  ByteProgress(const TellProgress& tell, u64 total) : tell_(tell), total_(total) {}

  void add(u64 bytes) {
    if (!tell_) return;
    const std::lock_guard lock(mutex_);
    done_ += bytes;
    tell_(done_, total_);
  }

 private:
  const TellProgress& tell_;
  const u64 total_;
  std::mutex mutex_;
  u64 done_ = 0;  // guarded by mutex_
};

}  // namespace bolide::convert
