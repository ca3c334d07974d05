#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "reference_config.h"

namespace bolide::model {
namespace {

constexpr std::size_t kWidth = 64;
constexpr float kScale = 0.125f;

std::vector<float> attend(std::span<const float> q, std::span<const float> entries, const std::vector<float>& sink) {
  std::vector<float> o(q.size());
  reference().attend(q, entries, sink, kScale, o);
  return o;
}

TEST(ReferenceAttention, IsASoftmaxWithASinkInTheDenominator) {
  const std::size_t n = 150;  // three blocks, the last one ragged
  const std::vector<float> q = random_bf16(2 * kWidth, 1);
  const std::vector<float> entries = random_bf16(n * kWidth, 2);
  const std::vector<float> sink = {0.5f, 4.0f};
  const std::vector<float> o = attend(q, entries, sink);
  for (std::size_t head = 0; head < 2; ++head) {
    double z = std::exp(double{sink[head]});
    std::vector<double> sum(kWidth);
    for (std::size_t j = 0; j < n; ++j) {
      double score = 0;
      for (std::size_t i = 0; i < kWidth; ++i) score += double{q[head * kWidth + i]} * entries[j * kWidth + i];
      const double e = std::exp(score * kScale);
      z += e;
      for (std::size_t i = 0; i < kWidth; ++i) sum[i] += e * entries[j * kWidth + i];
    }
    for (std::size_t i = 0; i < kWidth; ++i) EXPECT_NEAR(o[head * kWidth + i], sum[i] / z, 6e-3);
  }
}

TEST(ReferenceAttention, OneEntryWithoutASinkIsReturnedAsItIs) {
  const std::vector<float> q = random_bf16(kWidth, 3);
  const std::vector<float> entry = random_bf16(kWidth, 4);
  EXPECT_EQ(attend(q, entry, {-1e30f}), entry);
}

// The probability of an entry is rounded relative to the maximum of its block and those before, and scaled later.
TEST(ReferenceAttention, ProbabilitiesAreRoundedRelativeToTheRunningMaximum) {
  std::vector<float> q(kWidth, 0.0f);
  q[0] = 8.0f;                                    // score = entry[0]
  std::vector<float> entries(65 * kWidth, 0.0f);  // 64 entries of score 0, then one of score 1
  for (std::size_t j = 0; j < 64; ++j) entries[j * kWidth + 1] = 1.0f;
  entries[64 * kWidth] = 1.0f;
  const float running = 64.0f * std::exp(-1.0f);  // bf16(exp(0)) = 1 exactly, then times exp(0 - 1)
  const float z = running + 1.0f;
  EXPECT_EQ(attend(q, entries, {-1e30f})[1], arith::bf16_nearest(running / z));
}

TEST(ReferenceAttention, NonFiniteScoresGiveNonFiniteResults) {
  std::vector<float> q = random_bf16(kWidth, 5);
  const std::vector<float> entries(3 * kWidth, 1.0f);
  const float inf = std::numeric_limits<float>::infinity();
  for (const float bad : {inf, -inf, std::numeric_limits<float>::quiet_NaN()}) {
    q[7] = bad;
    for (const float value : attend(q, entries, {0.0f})) EXPECT_FALSE(std::isfinite(value));
  }
}

}  // namespace
}  // namespace bolide::model
