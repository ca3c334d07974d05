#include "base/progress.h"

#include <gmock/gmock.h>

namespace bolide {
namespace {

TEST(ByteText, UsesTheUnitThatKeepsThreeDigits) {
  EXPECT_EQ(byte_text(0), "0 B");
  EXPECT_EQ(byte_text(999), "999 B");
  EXPECT_EQ(byte_text(1000), "1.0 kB");
  EXPECT_EQ(byte_text(999'949), "999.9 kB");
  EXPECT_EQ(byte_text(999'950), "1.0 MB");
  EXPECT_EQ(byte_text(510'286'023'000), "510.3 GB");
  EXPECT_EQ(byte_text(UINT64_MAX), "18446.7 PB");
}

TEST(DurationText, NamesTheTwoLargestUnits) {
  EXPECT_EQ(duration_text(0.4), "0 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(59.6), "1 min 00 s");
  EXPECT_EQ(duration_text(725), "12 min 05 s");
  EXPECT_EQ(duration_text(12'000), "3 h 20 min");
  EXPECT_EQ(duration_text(-1), "0 s");
  EXPECT_EQ(duration_text(1e300), "277777 h 46 min");
}

TEST(ProgressText, ShowsRateAndRemainingTime) {
  EXPECT_EQ(progress_text("Converting", 100'000'000'000, 400'000'000'000, 100),
            "Converting  [=====>              ]  25 %  100.0 GB of 400.0 GB  1.0 GB/s  5 min 00 s left");
}

TEST(ProgressText, LeavesTheRateOutUntilItIsKnown) {
  EXPECT_EQ(progress_text("Packing", 0, 1000, 0), "Packing  [>                   ]   0 %  0 B of 1.0 kB");
  EXPECT_EQ(progress_text("Packing", 500, 1000, 0.5), "Packing  [==========>         ]  50 %  500 B of 1.0 kB");
}

TEST(ProgressText, IsFullAtTheEndAndNeverTooLong) {
  EXPECT_EQ(progress_text("Packing", 1000, 1000, 10),
            "Packing  [====================] 100 %  1.0 kB of 1.0 kB  100 B/s  0 s left");
  EXPECT_EQ(progress_text("Packing", 0, 0, 10), "Packing  [====================] 100 %  0 B of 0 B");
  EXPECT_EQ(progress_text(std::string(200, 'x'), 1, 2, 3).size(), 99);
}

// stderr of a test is a pipe or a file here; in a terminal the line is wiped at the end.
TEST(ProgressLine, WritesNothingWhereStderrIsNoTerminal) {
  testing::internal::CaptureStderr();  // into a file
  {
    ProgressLine line("Packing");
    line.update(1, 2);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace bolide
