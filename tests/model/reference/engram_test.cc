#include <cmath>
#include <gtest/gtest.h>

#include "reference_config.h"

namespace bolide::model {
namespace {

// The gate g of a stream h = (1, 1, ...) against key = (s, s, ...): both normed to ones, so that
// d = sign(s) * q * k * sqrt(n).
float gate(float s, float q, float k) {
  const std::size_t n = 64;
  std::vector<float> h(n, 1.0f);
  reference().engram_gate(h, std::vector<float>(n, s), std::vector<float>(n, 1.0f), std::vector<float>(n, q),
                          std::vector<float>(n, k));
  return h[0] - 1.0f;
}

double sigmoid_of(double x) {
  return 1.0 / (1.0 + std::exp(-x));
}

TEST(ReferenceEngram, TheGateIsTheSigmoidOfASignedRoot) {
  EXPECT_NEAR(gate(3.0f, 0.5f, 0.25f), sigmoid_of(std::sqrt(0.125 * 8)), 0x1p-8);
  EXPECT_NEAR(gate(-3.0f, 0.5f, 0.25f), sigmoid_of(-std::sqrt(0.125 * 8)), 0x1p-8);
}

TEST(ReferenceEngram, AnAlignmentOfZeroOpensTheGateHalf) {
  EXPECT_NEAR(gate(3.0f, 0.0f, 0.25f), sigmoid_of(1e-3), 0x1p-8);
}

TEST(ReferenceEngram, TheValueIsAddedToTheStream) {
  std::vector<float> h = random_bf16(64, 1);
  const std::vector<float> before = h;
  const std::vector<float> value = random_bf16(64, 2);
  const std::vector<float> zeros(64, 0.0f);
  reference().engram_gate(h, random_bf16(64, 3), value, zeros, zeros);
  const double g = sigmoid_of(1e-3);
  for (std::size_t i = 0; i < 64; ++i) EXPECT_NEAR(h[i], before[i] + g * value[i], std::fabs(h[i]) * 0x1p-8 + 1e-6);
}

TEST(ReferenceEngram, AFaultStaysVisible) {
  EXPECT_FALSE(std::isfinite(gate(NAN, 1.0f, 1.0f)));
  EXPECT_FALSE(std::isfinite(gate(HUGE_VALF, 1.0f, 1.0f)));
}

}  // namespace
}  // namespace bolide::model
