#include "convert/synth_making.h"

#include <algorithm>
#include <thread>
#include <vector>

namespace bolide::convert {

u32 thread_count(const SynthRun& run) {
  return run.n_threads > 0 ? run.n_threads : std::max(1U, std::thread::hardware_concurrency());
}

void MakingProgress::add(u64 bytes) {
  if (!tell_) return;
  const std::lock_guard lock(mutex_);
  done_ += bytes;
  tell_(done_, total_);
}

Status make_plane(u64 seed, const NumberPlane& plane, const std::function<Status(Bytes)>& append) {
  const u64 total = plane.bytes();
  std::vector<std::byte> buffer(std::min(total, kMakingBytes));
  for (u64 offset = 0; offset < total; offset += kMakingBytes) {
    const std::span<std::byte> piece = std::span(buffer).first(std::min(kMakingBytes, total - offset));
    fill_numbers(seed, plane, offset, piece);
    if (Status appended = append(piece); !appended) return appended;
  }
  return {};
}

}  // namespace bolide::convert
