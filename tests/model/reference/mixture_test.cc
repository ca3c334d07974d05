#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "reference_config.h"

namespace bolide::model {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::vector<u32> experts(const std::vector<RoutedExpert>& routed) {
  std::vector<u32> numbers;
  numbers.reserve(routed.size());
  for (const RoutedExpert& r : routed) numbers.push_back(r.expert);
  return numbers;
}

TEST(ReferenceRouter, WeightsAreNormalizedRootsOfSoftplus) {
  const std::vector<float> logits = {1.0f, -3.0f, 25.0f, 0.5f};
  const auto routed = reference().route(logits, std::vector<float>(4, 0.0f), 2);
  ASSERT_EQ(experts(routed), (std::vector<u32>{0, 2}));
  const double p0 = std::sqrt(std::log1p(std::exp(1.0)));
  const double p2 = 5.0;  // sqrt(softplus(25)), where softplus is the identity
  EXPECT_NEAR(routed[0].weight, 1.5 * p0 / (p0 + p2), 1e-6);
  EXPECT_NEAR(routed[1].weight, 1.5 * p2 / (p0 + p2), 1e-6);
}

TEST(ReferenceRouter, TheBiasSteersTheChoiceButNotTheWeights) {
  const std::vector<float> logits = {1.0f, 0.0f, 0.0f, 0.0f};
  const auto routed = reference().route(logits, std::vector<float>{-9.0f, 0.0f, 0.0f, 3.0f}, 2);
  ASSERT_EQ(experts(routed), (std::vector<u32>{1, 3}));  // among equal scores the lower number
  EXPECT_FLOAT_EQ(routed[0].weight, 0.75f);
  EXPECT_FLOAT_EQ(routed[1].weight, 0.75f);
}

TEST(ReferenceRouter, AWeightOfZeroIsNoNaN) {
  const auto routed = reference().route(std::vector<float>(3, -200.0f), std::vector<float>(3, 0.0f), 2);
  EXPECT_EQ(routed[0].weight, 0.0f);
}

TEST(ReferenceRouter, ANonFiniteLogitIsChosenAndSeen) {
  for (const float bad : {kNaN, -HUGE_VALF, HUGE_VALF}) {
    const auto routed = reference().route(std::vector<float>{4.0f, 3.0f, bad, 2.0f}, std::vector<float>(4, 0.0f), 2);
    EXPECT_TRUE(std::isnan(routed[1].weight));
  }
}

TEST(ReferenceSwiglu, ClampsTheGateFromAboveAndTheOtherOnBothSides) {
  const std::vector<float> gate = {12.0f, -12.0f, 2.0f, 2.0f};
  const std::vector<float> up = {1.0f, 1.0f, 30.0f, -30.0f};
  std::vector<float> y(4);
  reference().swiglu(gate, up, 0.5f, y);
  const auto silu = [](double x) { return x / (1.0 + std::exp(-x)); };
  EXPECT_NEAR(y[0], 0.5 * silu(10), 0x1p-6);
  EXPECT_NEAR(y[1], 0.5 * silu(-12), 1e-6);
  EXPECT_NEAR(y[2], 5.0 * silu(2), 0x1p-5);
  EXPECT_NEAR(y[3], -5.0 * silu(2), 0x1p-5);
}

TEST(ReferenceSwiglu, NoClampHidesAFault) {
  for (const float bad : {kNaN, -HUGE_VALF, HUGE_VALF}) {
    std::vector<float> y(2);
    reference().swiglu(std::vector<float>{bad, 1.0f}, std::vector<float>{1.0f, bad}, 1.0f, y);
    EXPECT_FALSE(std::isfinite(y[0]));
    EXPECT_FALSE(std::isfinite(y[1]));
  }
}

}  // namespace
}  // namespace bolide::model
