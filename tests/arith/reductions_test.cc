// The order of additions is part of the result: each test compares with a sum written out in the order of
// arithmetic.md, on numbers for which other orders give other bits.
#include "arith/reductions.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace bolide::arith {
namespace {

// Magnitudes that differ widely, so that every order rounds differently.
std::vector<float> wide_values(std::size_t n, u32 seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> exponent(-20.0f, 20.0f);
  std::vector<float> x(n);
  for (float& value : x) value = std::exp2(exponent(random)) * (random() % 2 == 0 ? 1.0f : -1.0f);
  return x;
}

// Rule 4 as a recursion over the tree: node (i, half) = node i + node i + half.
float rule_4(const std::vector<float>& x, std::size_t i, std::size_t width) {
  if (width == 256) {
    float chain = 0.0f;
    for (std::size_t j = i; j < x.size(); j += 256) chain = chain + x[j];
    return chain;
  }
  return rule_4(x, i, width * 2) + rule_4(x, i + width, width * 2);
}

TEST(OrderedSum, AddsInTheOrderOfRule4ForEveryLength) {
  for (const std::size_t n : {0u, 1u, 2u, 31u, 33u, 255u, 256u, 257u, 511u, 1000u, 4096u, 5120u}) {
    const std::vector<float> x = wide_values(n, static_cast<u32>(n));
    EXPECT_EQ(std::bit_cast<u32>(ordered_sum(x)), std::bit_cast<u32>(rule_4(x, 0, 1))) << n;
  }
}

TEST(OrderedSum, ASequentialSumGivesOtherBits) {
  const std::vector<float> x = wide_values(1000, 7);
  float sequential = 0.0f;
  for (const float value : x) sequential += value;
  EXPECT_NE(ordered_sum(x), sequential);
}

TEST(OrderedDot, AccumulatesByFma) {
  const std::vector<float> x = wide_values(700, 1);
  const std::vector<float> y = wide_values(700, 2);
  std::vector<float> chains(256, 0.0f);
  for (std::size_t i = 0; i < x.size(); ++i) chains[i % 256] = std::fma(x[i], y[i], chains[i % 256]);
  EXPECT_EQ(ordered_dot(x, y), rule_4(chains, 0, 1));
  EXPECT_EQ(ordered_sum_of_squares(x), ordered_dot(x, x));
}

TEST(MaxMagnitude, SeesInfinityAndNan) {
  std::vector<float> x = {1.0f, -3.0f, 2.0f};
  EXPECT_EQ(max_magnitude(x), 3.0f);
  EXPECT_EQ(max_magnitude({}), 0.0f);
  x[0] = -std::numeric_limits<float>::infinity();
  EXPECT_TRUE(std::isinf(max_magnitude(x)));
  x[1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(max_magnitude(x)));
}

TEST(Segments, CoverTheBlocksInOrderWithEmptyOnesAtTheEnd) {
  EXPECT_EQ(segment_blocks(40, kQuantizedSegments), 3u);
  EXPECT_EQ(segment_blocks(1, kQuantizedSegments), 1u);
  EXPECT_EQ(float_segments(8192), 16u);
  EXPECT_EQ(float_segments(8224), 64u);
}

}  // namespace
}  // namespace bolide::arith
