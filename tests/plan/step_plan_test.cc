#include "plan/step_plan.h"

#include <algorithm>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "model/tensors.h"

namespace bolide::plan {
namespace {

using formats::WeightType;
using ops::OpKind;

model::Config config_of(const std::string& path) {
  std::ifstream in(std::string(BOLIDE_SOURCE_DIR) + path);
  std::ostringstream text;
  text << in.rdbuf();
  Result<model::Config> config = model::parse_config(text.str(), path);
  if (!config) throw std::runtime_error(config.error().message);
  return *config;
}

model::Config big() {
  return config_of("/tests/model/data/v4.1-flash-config.json");
}

// What `inspect` says one decoded token reads of the trunk's packed tensors.
u64 bytes_of_tensors(const model::Config& config) {
  u64 bytes = 0;
  for (const model::TensorSpec& spec : model::tensor_specs(config)) {
    if (spec.draft) continue;
    const formats::PlaneBytes planes = *formats::plane_bytes(spec.packed);
    bytes += model::bytes_read_per_token(spec, spec.packed.experts * (planes.codes + planes.scales), config);
  }
  return bytes;
}

u64 weight_bytes(const ops::Plan& plan) {
  u64 bytes = 0;
  for (const ops::Op& op : plan.ops) bytes += op.cost.weight_bytes;
  return bytes;
}

std::vector<ops::Op> ops_of(const ops::Plan& plan, OpKind kind) {
  std::vector<ops::Op> found;
  std::ranges::copy_if(plan.ops, std::back_inserter(found), [&](const ops::Op& op) { return op.kind == kind; });
  return found;
}

TEST(StepPlan, OneRowReadsEveryTensorOfTheTrunkOnceAndTheUsedExperts) {
  for (const model::Config& config : {config_of("/models/nano/config.json"), big()}) {
    EXPECT_EQ(weight_bytes(step_plan(config, {}, WeightType::kMXFP4)), bytes_of_tensors(config));
  }
}

TEST(StepPlan, ADecodedTokenOfTheBigModelReads12Point83Gigabytes) {  // interfaces.md, Packed weights file
  // Beside it the packed file's padding: the 24 rows of each mHC matrix fill a tile of 32.
  const model::Config config = big();
  const u64 padding = u64{2} * config.n_layers * (32 - config.mix_width()) * config.streams_width() * 4;
  const u64 bytes = weight_bytes(step_plan(config, {}, WeightType::kMXFP4)) - padding;
  EXPECT_NEAR(static_cast<double>(bytes), 12.83e9, 0.01e9);
}

TEST(StepPlan, RowsShareTheDenseWeightsAndReadTheirDistinctExperts) {
  const model::Config config = big();
  const u64 one = weight_bytes(step_plan(config, {.rows = 1}, WeightType::kMXFP4));
  const u64 same_experts = weight_bytes(step_plan(config, {.rows = 6, .distinct_experts = 6}, WeightType::kMXFP4));
  const u64 all_different = weight_bytes(step_plan(config, {.rows = 6}, WeightType::kMXFP4));
  EXPECT_EQ(same_experts - one, 5u * config.dim * 2);  // five more rows of the embedding
  const formats::PlaneBytes expert =
      *formats::plane_bytes({WeightType::kMXFP4, formats::Form::kTiled, 1, config.moe_inter_dim, config.dim});
  EXPECT_EQ(all_different - same_experts, u64{30} * 3 * (expert.codes + expert.scales) * config.n_layers);
}

TEST(StepPlan, APrefillRunsTheLayersFromDOnlyOnTheRowsThatTheLastStatesNeed) {
  const model::Config config = big();
  const StepShape shape = {.rows = 8192, .complete_rows = 4};
  const u32 d = config.decoder_start();
  EXPECT_EQ(layer_rows(config, shape, d - 1).whole.count(), 8192u);
  EXPECT_EQ(layer_rows(config, shape, d).window.count(), config.reach(4));
  EXPECT_EQ(layer_rows(config, shape, config.n_layers - 1).whole.count(), 4u);
  // What a layer needs before it is whole is there: the layer before ran whole on it.
  for (u32 layer = d; layer + 1 < config.n_layers; ++layer) {
    EXPECT_EQ(layer_rows(config, shape, layer + 1).window.count(), layer_rows(config, shape, layer).whole.count());
  }
  // The cache that D owns holds every token.
  for (const ops::Op& op : ops_of(step_plan(config, shape, WeightType::kMXFP4), OpKind::kCompress)) {
    EXPECT_EQ(op.rows.count(), 8192u) << "layer " << op.layer;
  }
}

TEST(StepPlan, AShortPrefillRunsEveryLayerOnEveryRow) {
  const model::Config config = big();
  for (u32 layer = 0; layer < config.n_layers - 1; ++layer) {
    EXPECT_EQ(layer_rows(config, {.rows = 100, .complete_rows = 4}, layer).whole.count(), 100u);
  }
}

TEST(StepPlan, CandidatesAreMadeBeforeTheyAreApplied) {
  bool made = false;
  for (const ops::Op& op : step_plan(big(), {}, WeightType::kMXFP4).ops) {
    if (op.kind == OpKind::kCandidateBlocks) made = true;
    if (op.kind != OpKind::kIndexScore || op.in[1] != ops::Buffer::kBlocks) continue;
    EXPECT_TRUE(made) << "layer " << op.layer;
  }
  EXPECT_TRUE(made);
}

}  // namespace
}  // namespace bolide::plan
