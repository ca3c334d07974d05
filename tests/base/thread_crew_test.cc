#include "base/thread_crew.h"

#include <chrono>
#include <gtest/gtest.h>
#include <limits>
#include <thread>
#include <vector>

namespace bolide {
namespace {

TEST(ThreadCrew, EveryThreadDoesItsPartOfEveryRoundExactlyOnce) {
  for (const u32 size : {1u, 2u, 3u, 8u}) {
    ThreadCrew crew(size);
    ASSERT_EQ(crew.size(), size);
    // Not atomic: the crew itself must order the rounds, which the thread sanitizer checks.
    std::vector<u64> rounds(size, 0);
    u64 all = 0;
    for (u64 round = 0; round < 300; ++round) {
      crew.run([&](u32 thread) { rounds[thread] += round; });
      for (const u64 sum : rounds) all += sum == round * (round + 1) / 2 ? 1 : 0;
    }
    EXPECT_EQ(all, 300u * size);
  }
}

TEST(ThreadCrew, ThreadsThatFellAsleepWakeUp) {
  ThreadCrew crew(3);
  std::vector<u32> calls(3, 0);
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    crew.run([&](u32 thread) {
      // The caller sleeps for a slow worker, too.
      if (thread == 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ++calls[thread];
    });
  }
  EXPECT_EQ(calls, std::vector<u32>(3, 20));
}

TEST(ThreadCrew, SubnormalsAreFlushedOnEveryThreadAndTheCallersModeComesBack) {
  ThreadCrew crew(2);
  volatile float smallest = std::numeric_limits<float>::min();
  std::vector<float> halves(2, 1.0f);
  crew.run([&](u32 thread) { halves[thread] = smallest * 0.5f; });
  EXPECT_EQ(halves, std::vector<float>(2, 0.0f));
  EXPECT_GT(smallest * 0.5f, 0.0f);
}

TEST(ThreadCrew, SharesCoverEverythingOnceInOrder) {
  for (const u64 total : {0ull, 1ull, 5ull, 1000ull}) {
    u64 next = 0;
    for (u32 thread = 0; thread < 3; ++thread) {
      const ThreadShare share = thread_share(total, thread, 3);
      EXPECT_EQ(share.first, next);
      EXPECT_LE(share.end - share.first, total / 3 + 1);
      next = share.end;
    }
    EXPECT_EQ(next, total);
  }
}

}  // namespace
}  // namespace bolide
