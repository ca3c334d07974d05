#include "model/gguf_names.h"

#include <gmock/gmock.h>
#include <map>

#include "base/mapped_file.h"
#include "formats/gguf_writer.h"

namespace bolide::model {
namespace {

using formats::GgufType;
using ::testing::ElementsAre;

const Config& big_config() {
  static const Config config = [] {
    const std::string path = BOLIDE_SOURCE_DIR "/tests/model/data/v4.1-flash-config.json";
    return parse_config(read_text_file(path, 1 << 20).value(), path).value();
  }();
  return config;
}

TensorSpec spec_of(std::string_view name) {
  for (const TensorSpec& spec : tensor_specs(big_config())) {
    if (spec.name == name) return spec;
  }
  check(false, "the tensor is one of the model's");
  return {};
}

TEST(GgufNames, AreDs4sForTheLayersAndKeepTheStagesOfTheDrafter) {
  EXPECT_EQ(gguf_name(spec_of("embed.weight")), "token_embd.weight");
  EXPECT_EQ(gguf_name(spec_of("norm.weight")), "output_norm.weight");
  EXPECT_EQ(gguf_name(spec_of("layers.39.ffn.experts.w2")), "blk.39.ffn_down_exps.weight");
  EXPECT_EQ(gguf_name(spec_of("layers.0.ffn.gate.bias_vl")), "blk.0.exp_probs_b_vl.bias");
  EXPECT_EQ(gguf_name(spec_of("layers.14.engram.wkv.weight")), "blk.14.engram_kv.weight");
  EXPECT_EQ(gguf_name(spec_of("mtp.2.norm.weight")), "mtp.2.norm.weight");
  EXPECT_EQ(gguf_name(spec_of("mtp.0.attn.attn_sink")), "mtp.0.attn_sinks.weight");
}

TEST(GgufNames, NoTwoTensorsShareAName) {
  std::map<std::string, std::string> owners;
  for (const TensorSpec& spec : tensor_specs(big_config())) {
    for (const std::string& name : gguf_names(spec)) {
      const auto [entry, is_new] = owners.emplace(name, spec.name);
      EXPECT_TRUE(is_new) << name << " is " << spec.name << " and " << entry->second;
    }
  }
}

TEST(GgufNames, AliasesOfTheDrafterFollowDs4sName) {
  EXPECT_THAT(
      gguf_names(spec_of("mtp.2.markov_head.embed.weight")),
      ElementsAre("mtp.2.markov_head.markov_w1.weight", "mtp.2.markov_head.embed.weight", "mtp.2.markov_w1.weight"));
  EXPECT_THAT(gguf_names(spec_of("mtp.1.ffn.experts.w3")),
              ElementsAre("mtp.1.ffn_up_exps.weight", "mtp.1.ffn.experts.w3", "mtp.1.ffn.experts.w3.weight"));
  EXPECT_THAT(gguf_names(spec_of("mtp.0.main_proj.weight")), ElementsAre("mtp.0.main_proj.weight"));
}

// A file of the big model in ds4's types, experts in `experts`; nothing is written.
struct Planned {
  u64 tensors = 0;
  u64 bytes = 0;   // of the tensors alone
  u64 padded = 0;  // as they lie in the file
};
Planned plan(bool draft, GgufType experts, bool engram = false) {
  std::vector<formats::GgufTensorSpec> tensors;
  const Config& config = big_config();
  for (const TensorSpec& spec : in_gguf_order(tensor_specs(config))) {
    if (spec.draft != draft || engram) continue;
    formats::GgufTensorSpec tensor{.name = gguf_name(spec),
                                   .type = spec.stacked() ? experts : gguf_mxfp4_type(spec),
                                   .dimensions = {spec.packed.columns}};
    if (spec.dimensions > 1) tensor.dimensions.push_back(spec.packed.rows);
    if (spec.stacked()) tensor.dimensions.push_back(spec.packed.experts);
    tensors.push_back(std::move(tensor));
  }
  for (std::size_t i = 0; engram && i < config.engram.layer_ids.size(); ++i) {
    tensors.push_back({.name = gguf_engram_name(config.engram.layer_ids[i]),
                       .type = GgufType::kI8,
                       .dimensions = {264, config.engram.rows[i]}});
  }
  const formats::GgufPlan file = formats::plan_gguf_file({}, tensors).value();
  Planned planned{.tensors = tensors.size(), .padded = file.file_bytes - file.data_offset};
  for (const u64 bytes : file.bytes) planned.bytes += bytes;
  return planned;
}

// Spec model.md 2.2 and 2.3: the Q4 figure is that of the published file.
TEST(GgufNames, FilesOfTheBigModelHaveThePublishedSizes) {
  const Planned q4 = plan(false, GgufType::kQ4_K);
  EXPECT_EQ(q4.tensors + 2, 1046u);
  EXPECT_EQ(q4.padded, 315'832'188'928u);
  EXPECT_EQ(plan(false, GgufType::kMXFP4).padded, 298'845'257'728u);
  EXPECT_EQ(plan(false, GgufType::kMXFP4, true).padded, 202'758'045'696u);
  // dspark.md 1.3.
  const Planned draft = plan(true, GgufType::kQ4_K);
  EXPECT_EQ(draft.tensors, 81u);
  EXPECT_EQ(draft.bytes, 8'328'370'568u);
}

TEST(GgufNames, TheOrderIsThatOfDs4sFiles) {
  std::vector<std::string> names;
  for (const TensorSpec& spec : in_gguf_order(tensor_specs(big_config()))) {
    if (!spec.draft) names.push_back(gguf_name(spec));
  }
  EXPECT_THAT(std::vector(names.begin(), names.begin() + 7),
              ElementsAre("token_embd.weight", "output_norm.weight", "output.weight", "blk.0.hc_attn_fn.weight",
                          "blk.0.hc_attn_base.weight", "blk.0.hc_attn_scale.weight", "blk.0.attn_norm.weight"));
  EXPECT_EQ(names.back(), "blk.39.ffn_down_exps.weight");
  std::vector<std::string> draft;
  for (const TensorSpec& spec : in_gguf_order(tensor_specs(big_config()))) {
    if (spec.draft) draft.push_back(gguf_name(spec));
  }
  EXPECT_EQ(draft.front(), "mtp.0.main_proj.weight");
  EXPECT_EQ(draft.back(), "mtp.2.confidence_head.proj.weight");
}

}  // namespace
}  // namespace bolide::model
