// That fixture ci reaches what it is made for, shown by counters.
#include "convert/synth_reach.h"

namespace bolide::convert {
namespace {

using formats::WeightType;
using model::MatrixType;

SynthOptions without_drafter(std::string shape, WeightType experts_type) {
  return {.shape = std::move(shape), .experts = 6, .draft_experts = 0, .experts_type = experts_type};
}

TEST(SynthRoles, EveryLayerRoleAndTheCandidateMaskAreReached) {
  const auto model = synth_model_in_memory(without_drafter("ci", WeightType::kMXFP4));
  ASSERT_TRUE(model) << model.error().message;
  const test::Reach reach = test::reach_of(*model, 1, 2000, 2, false);
  test::expect_all_roles(reach, model->config, 2000, 2);
  EXPECT_GT(reach.arithmetic.products.at(MatrixType::kMxfp4), 0U);
  EXPECT_EQ(reach.arithmetic.products.count(MatrixType::kQ4K), 0U);
  EXPECT_EQ(reach.arithmetic.wide_mixes, 0U);
}

TEST(SynthRoles, Q4KExpertsAreReachedAndFlushingChangesNoBit) {
  const auto model = synth_model_in_memory(without_drafter("ci", WeightType::kQ4_K));
  ASSERT_TRUE(model) << model.error().message;
  const test::Reach reach = test::reach_of(*model, 1, 1000, 2, false);
  test::expect_all_roles(reach, model->config, 1000, 2);
  EXPECT_EQ(reach.arithmetic.products.at(MatrixType::kQ4K), u64{2} * 8 * 6 * 3);
  EXPECT_EQ(reach.arithmetic.products.count(MatrixType::kMxfp4), 0U);
  const test::Reach flushed = test::reach_of(*model, 1, 1000, 2, true);
  EXPECT_EQ(flushed.state, reach.state);
  EXPECT_EQ(flushed.logits, reach.logits);
}

TEST(SynthRoles, TheMixOfTheWideShapeHas64Segments) {
  const auto model = synth_model_in_memory(without_drafter("ci-wide", WeightType::kMXFP4));
  ASSERT_TRUE(model) << model.error().message;
  const test::Reach reach = test::reach_of(*model, 1, 300, 2, false);
  EXPECT_EQ(reach.arithmetic.wide_mixes, u64{2} * 2 * 8);
  EXPECT_EQ(reach.arithmetic.narrow_mixes, 0U);
}

}  // namespace
}  // namespace bolide::convert
