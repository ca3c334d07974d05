#include "convert/parallel.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace bolide::convert {

Status run_tasks(u64 n_tasks, u32 n_threads, const std::function<Status(u64 task)>& task) {
  std::atomic<u64> next = 0;
  std::mutex mutex;
  std::optional<Error> failure;  // guarded by mutex, as is failed_task
  u64 failed_task = n_tasks;

  const auto work = [&] {
    for (u64 i = next++; i < n_tasks; i = next++) {
      Status status = task(i);
      if (status) continue;
      next = n_tasks;
      const std::lock_guard lock(mutex);
      if (i < failed_task) {
        failed_task = i;
        failure = status.error();
      }
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (u64 i = 1; i < std::min<u64>(n_threads, n_tasks); ++i) helpers.emplace_back(work);
    work();
  }
  return failure ? Status(*failure) : Status();
}

}  // namespace bolide::convert
