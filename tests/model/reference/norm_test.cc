#include <cmath>
#include <gtest/gtest.h>

#include "reference_config.h"

namespace bolide::model {
namespace {

TEST(ReferenceNorm, DividesByTheRootMeanSquare) {
  const std::vector<float> x = {1.0f, -2.0f, 3.0f, -4.0f, 1.0f, -2.0f, 3.0f, -4.0f};  // mean square 7.5
  const std::vector<float> w = {1.0f, 0.5f, 2.0f, 1.0f, 1.0f, 0.5f, 2.0f, 1.0f};
  std::vector<float> y(8);
  reference().norm(x, w, y);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(y[i], w[i] * x[i] / std::sqrt(7.5), 0x1p-8);
}

TEST(ReferenceNorm, EpsilonIsFarBelowEveryActivation) {
  const std::vector<float> x(32, 0x1p-24f);
  const std::vector<float> w(32, 1.0f);
  std::vector<float> y(32);
  reference().norm(x, w, y);
  EXPECT_EQ(y[0], 1.0f);  // an epsilon of 1e-6 would make it 6e-5
}

TEST(ReferenceNorm, ZeroStaysZeroAndAFaultStaysVisible) {
  std::vector<float> x(32, 0.0f);
  const std::vector<float> w(32, 1.0f);
  std::vector<float> y(32);
  reference().norm(x, w, y);
  EXPECT_EQ(y, x);
  x[3] = HUGE_VALF;
  reference().norm(x, w, y);
  EXPECT_FALSE(std::isfinite(y[3]));
}

}  // namespace
}  // namespace bolide::model
