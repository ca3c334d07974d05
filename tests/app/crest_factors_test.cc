#include "app/crest_factors.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace bolide::app {
namespace {

TEST(CrestFactors, OfKnownBlocks) {
  std::vector<float> x(96, 0.0f);
  for (std::size_t i = 0; i < 32; ++i) x[i] = i % 2 == 0 ? 3.0f : -3.0f;  // flat: 1
  x[40] = -5.0f;                                                          // one value alone: sqrt(32)
  CrestFactors crest;
  crest.add(x);  // the third block is zeros
  EXPECT_EQ(crest.blocks, 2u);
  EXPECT_DOUBLE_EQ(crest.sum, 1.0 + std::sqrt(32.0));
  EXPECT_DOUBLE_EQ(crest.largest, std::sqrt(32.0));
  EXPECT_EQ(crest.peaked, 1u);
}

// arithmetic.md: with one outlier of ten sigma in a block int8 and FP8 are about equal.
TEST(CrestFactors, ThePeakIsAnOutlierOfTenSigma) {
  std::array<float, 32> x;
  x.fill(1.0f);
  x[7] = 10.0f;
  CrestFactors crest;
  crest.add(x);
  EXPECT_NEAR(crest.largest, kPeakedCrestFactor, 0.05);
}

}  // namespace
}  // namespace bolide::app
