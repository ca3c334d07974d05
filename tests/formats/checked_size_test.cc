#include "formats/checked_size.h"

#include <gtest/gtest.h>

namespace bolide::formats {
namespace {

constexpr u64 kMax = ~u64{0};

TEST(CheckedSize, ComputesWhatFits) {
  EXPECT_EQ((CheckedSize(6) * 7 + 1).value(), 43u);
  EXPECT_EQ((CheckedSize(kMax - 1) + 1).value(), kMax);
  EXPECT_EQ(CheckedSize(0).rounded_up(256).value(), 0u);
  EXPECT_EQ(CheckedSize(1).rounded_up(256).value(), 256u);
  EXPECT_EQ(CheckedSize(512).rounded_up(256).value(), 512u);
}

TEST(CheckedSize, RemembersAnOverflowThroughLaterSteps) {
  EXPECT_EQ((CheckedSize(kMax) + 1).value(), std::nullopt);
  EXPECT_EQ((CheckedSize(u64{1} << 63) * 2).value(), std::nullopt);
  EXPECT_EQ((CheckedSize(u64{1} << 63) * 2 * 0).value(), std::nullopt);
  EXPECT_EQ((CheckedSize(0) * (CheckedSize(kMax) + 1)).value(), std::nullopt);
  EXPECT_EQ((CheckedSize(kMax) + 1).rounded_up(4).value(), std::nullopt);
  EXPECT_EQ(CheckedSize(kMax).rounded_up(256).value(), std::nullopt);
}

}  // namespace
}  // namespace bolide::formats
