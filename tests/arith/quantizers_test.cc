#include "arith/quantizers.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "arith/f16.h"
#include "arith/quantize.h"

namespace bolide::arith {
namespace {

std::vector<float> random_values(std::size_t n, u32 seed, float spread) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0f, spread);
  std::vector<float> x(n);
  for (float& value : x) value = bf16(normal(random));
  return x;
}

std::vector<float> group_of_32(float largest) {
  std::vector<float> x(32, 0.0f);
  x[5] = largest;
  return x;
}

Q8Group q8_of(const std::vector<float>& x) {
  return quantize_q8(std::span<const float, 32>(x));
}

// Spec model.md section 8.
TEST(Q8, ScalesAreThoseOfTheSpecification) {
  EXPECT_EQ(e8m0_value(q8_of(group_of_32(448)).scale), 1.0f);
  EXPECT_EQ(e8m0_value(q8_of(group_of_32(449)).scale), 2.0f);
  EXPECT_EQ(e8m0_value(q8_of(group_of_32(0)).scale), 0x1p-22f);
}

TEST(Q8, TheScaleIsTheSmallestPowerOfTwoThatKeepsTheMaximumInRange) {
  for (const float spread : {1e-6f, 1e-3f, 1.0f, 300.0f, 1e6f}) {
    const std::vector<float> x = random_values(32, 3, spread);
    float largest = 1e-4f;
    for (const float value : x) largest = std::max(largest, std::fabs(value));
    const double scale = e8m0_value(q8_of(x).scale);
    EXPECT_LE(largest / scale, 448.0 * (1 + 1e-6));
    EXPECT_GT(largest / scale, 224.0 * (1 - 1e-6));
  }
}

TEST(Q8, QuantizingTheResultAgainGivesTheSameValues) {
  for (u32 seed = 0; seed < 200; ++seed) {
    const Q8Group once = q8_of(random_values(32, seed, 3.0f));
    std::vector<float> values;
    for (const u8 code : once.codes) values.push_back(q8_value(code, e8m0_value(once.scale)));
    const Q8Group twice = q8_of(values);
    for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(q8_value(twice.codes[i], e8m0_value(twice.scale)), values[i]);
  }
}

TEST(Q4k, ExamplesOfTheSpecification) {
  const auto quantized = [](float largest) {
    std::vector<float> x(16, 0.0f);
    x[3] = largest;
    return quantize_q4k(std::span<const float, 16>(x));
  };
  EXPECT_EQ(e4m3_value(quantized(8.25f).scale), 1.375f);
  EXPECT_EQ(q4_value(quantized(8.25f).codes[3], 1.375f), 8.25f);
  EXPECT_EQ(e4m3_value(quantized(0.0f).scale), 0x1p-9f);
  EXPECT_EQ(e4m3_value(quantized(3000.0f).scale), 448.0f);
  EXPECT_EQ(q4_value(quantized(3000.0f).codes[3], 448.0f), 2688.0f);
}

TEST(Q4i, EveryValueIsTheNearestMultipleOfThePowerOfTwoScale) {
  for (u32 seed = 0; seed < 100; ++seed) {
    const std::vector<float> x = random_values(32, seed, 2.0f);
    const Q4iGroup group = quantize_q4i(std::span<const float, 32>(x));
    const float scale = e8m0_value(group.scale);
    for (std::size_t i = 0; i < 32; ++i) {
      const float found = std::fabs(x[i] - q4_value(group.codes[i], scale));
      for (u8 code = 0; code < 16; ++code) EXPECT_LE(found, std::fabs(x[i] - q4_value(code, scale)));
    }
  }
}

TEST(Activations, AreWithinHalfAStepAndTheSumIsExact) {
  const std::vector<float> x = random_values(32 * 40, 11, 2.0f);
  const QuantizedActivations quantized = quantize_activations(x);
  for (std::size_t block = 0; block < 40; ++block) {
    i32 sum = 0;
    for (std::size_t i = 32 * block; i < 32 * (block + 1); ++i) {
      EXPECT_NEAR(x[i], quantized.q[i] * quantized.d[block], 0.5001f * quantized.d[block]);
      sum += quantized.q[i];
    }
    EXPECT_EQ(quantized.sum[block], sum);
  }
}

TEST(Activations, ABlockBelowTheDoorIsZeroAndAFaultReachesTheFactor) {
  std::vector<float> x(64, 0.0f);
  x[0] = 0x1.fp-41f;
  x[40] = INFINITY;
  const QuantizedActivations quantized = quantize_activations(x);
  EXPECT_EQ(quantized.d[0], 0.0f);
  EXPECT_EQ(quantized.q[0], 0);
  EXPECT_TRUE(std::isnan(quantized.d[1]));
  x[40] = NAN;
  EXPECT_TRUE(std::isnan(quantize_activations(x).d[1]));
}

TEST(Q8_0, AnInfiniteScaleIsRefusedAndATinyBlockBecomesZero) {
  std::array<double, 32> w{};
  Q8_0Block block;
  w[7] = 65504.0 * 127 * 1.01;
  EXPECT_FALSE(quantize_q8_0(w, block));
  w[7] = 1e-9;
  ASSERT_TRUE(quantize_q8_0(w, block));
  EXPECT_EQ(block.d, 0);
  EXPECT_EQ(block.q[7], 0);
  w[7] = -2.54;
  ASSERT_TRUE(quantize_q8_0(w, block));
  EXPECT_EQ(block.q[7], -127);
  EXPECT_NEAR(f16_value(block.d) * -127, -2.54, 2.54 / 2048);
}

}  // namespace
}  // namespace bolide::arith
