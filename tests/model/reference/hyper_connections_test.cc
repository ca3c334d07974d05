#include <gmock/gmock.h>

#include "reference_config.h"

namespace bolide::model {
namespace {

using ::testing::FloatNear;
using ::testing::Pointwise;

// Weights whose projections of an all-ones h are exactly m.
MixWeights weights_giving(const std::vector<float>& m, std::size_t width) {
  MixWeights weights{{24, static_cast<u32>(width), std::vector<float>(24 * width)}, {}, {0.5f, 0.75f, 1.25f}};
  for (std::size_t i = 0; i < 24; ++i) {
    weights.fn.values[i * width] = m[i];
    weights.base.push_back((static_cast<float>(5 * i % 7) - 3.0f) / 8.0f);
  }
  return weights;
}

TEST(ReferenceMix, GivesTheSpecificationsVector) {
  std::vector<float> m(24);
  for (std::size_t i = 0; i < 24; ++i) m[i] = (static_cast<float>(7 * i % 11) - 5.0f) / 4.0f;
  const std::vector<float> h(128, 1.0f);
  const Mix mix = reference().mix(h, weights_giving(m, 128));
  EXPECT_THAT(mix.pre, Pointwise(FloatNear(1e-6f), {0.26894242f, 0.62246037f, 0.43782446f, 0.59266764f}));
  EXPECT_THAT(mix.post, Pointwise(FloatNear(1e-6f), {1.27406156f, 0.78467369f, 1.30270982f, 0.81466681f}));
  EXPECT_THAT(mix.carry, Pointwise(FloatNear(1e-6f), {0.14553499f, 0.51320148f, 0.19572745f, 0.14553514f,  //
                                                      0.28916410f, 0.03277833f, 0.38889262f, 0.28916404f,  //
                                                      0.11425308f, 0.40289092f, 0.36860174f, 0.11425326f,  //
                                                      0.45104682f, 0.05112836f, 0.04677727f, 0.45104659f}));
}

TEST(ReferenceMix, DoesNotDependOnTheSizeOfTheStreams) {
  std::vector<float> m = random_bf16(24, 1);
  const std::vector<float> ones(128, 1.0f);
  const std::vector<float> large(128, 4096.0f);
  const MixWeights weights = weights_giving(m, 128);
  EXPECT_EQ(reference().mix(ones, weights).carry, reference().mix(large, weights).carry);
}

}  // namespace
}  // namespace bolide::model
