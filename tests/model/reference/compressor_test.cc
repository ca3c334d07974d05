#include <cmath>
#include <gtest/gtest.h>

#include "reference_config.h"

namespace bolide::model {
namespace {

float pooled(float even_key, float even_gate, float odd_key, float odd_gate) {
  float latent = 0;
  reference().pool_pair(std::span(&even_key, 1), std::span(&even_gate, 1), std::span(&odd_key, 1),
                        std::span(&odd_gate, 1), std::span(&latent, 1));
  return latent;
}

TEST(ReferencePooling, WeighsThePairByASoftmaxOfItsGates) {
  EXPECT_EQ(pooled(2.0f, 0.0f, 4.0f, 0.0f), 3.0f);
  const double w = 1.0 / (1.0 + std::exp(-1.5));  // of the odd token
  EXPECT_NEAR(pooled(2.0f, 0.0f, 4.0f, 1.5f), 2.0 * (1 - w) + 4.0 * w, 0x1p-7);
  EXPECT_EQ(pooled(2.0f, 300.0f, 4.0f, 0.0f), 2.0f);  // no overflow
}

TEST(ReferencePooling, AFaultStaysVisible) {
  for (const float bad : {NAN, HUGE_VALF, -HUGE_VALF}) {
    EXPECT_FALSE(std::isfinite(pooled(1.0f, bad, 1.0f, 0.0f)));
    EXPECT_FALSE(std::isfinite(pooled(1.0f, 0.0f, 1.0f, bad)));
    EXPECT_FALSE(std::isfinite(pooled(bad, 0.0f, 1.0f, 0.0f)));
  }
}

}  // namespace
}  // namespace bolide::model
