#include "convert/parallel.h"

#include <atomic>
#include <gtest/gtest.h>
#include <vector>

namespace bolide::convert {
namespace {

TEST(RunTasks, RunsEachTaskOnce) {
  for (const u32 n_threads : {1U, 3U, 100U}) {
    std::vector<std::atomic<int>> runs(50);
    ASSERT_TRUE(run_tasks(runs.size(), n_threads, [&](u64 task) { return ++runs[task], Status(); }));
    for (const auto& count : runs) EXPECT_EQ(count, 1);
  }
  EXPECT_TRUE(run_tasks(0, 4, [](u64) { return Status(Error{"no task was asked for"}); }));
}

TEST(RunTasks, ReportsTheLowestFailureAndBeginsNothingAfterIt) {
  std::atomic<u64> begun = 0;
  const Status status = run_tasks(1000, 3, [&](u64 task) {
    ++begun;
    return task >= 10 ? Status(Error{"task " + std::to_string(task)}) : Status();
  });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "task 10");
  EXPECT_LE(begun, 13);
}

}  // namespace
}  // namespace bolide::convert
