// The list of tensors against the published audit of the official checkpoint (spec model.md 2.1, 2.4).
#include "model/tensors.h"

#include <gtest/gtest.h>
#include <map>

#include "support/nano.h"

namespace bolide::model {
namespace {

Config big_config() {
  const Result<std::string> text =
      read_text_file(BOLIDE_SOURCE_DIR "/tests/model/data/v4.1-flash-config.json", 1 << 20);
  const Result<Config> config = parse_config(*text, "config.json");
  EXPECT_TRUE(config.ok()) << config.error().message;
  return *config;
}

// Bytes of a tensor in the checkpoint, its scales included.
u64 checkpoint_bytes(const TensorSpec& spec) {
  const u64 rows = spec.packed.rows;
  const u64 k = spec.packed.columns;
  switch (spec.checkpoint) {
    case CheckpointFormat::kBf16:
      return 2 * rows * k;
    case CheckpointFormat::kF32:
      return 4 * rows * k;
    case CheckpointFormat::kFp8:
      return rows * k + (rows + 31) / 32 * ((k + 31) / 32);
    case CheckpointFormat::kFp4:
      return spec.packed.experts * rows * (k / 2 + k / 32);
  }
  return 0;
}

bool has_scales(const TensorSpec& spec) {
  return spec.checkpoint == CheckpointFormat::kFp8 || spec.checkpoint == CheckpointFormat::kFp4;
}

// Bytes and tensors by the part of the checkpoint: "layers.3.", "mtp.0.", or "" for the rest.
struct Part {
  u64 bytes = 0;
  u64 tensors = 0;
};
std::map<std::string, Part> parts_of(const Config& config) {
  std::map<std::string, Part> parts;
  for (const TensorSpec& spec : tensor_specs(config)) {
    const bool numbered = spec.name.starts_with("layers.") || spec.name.starts_with("mtp.");
    const std::size_t second_dot = spec.name.find('.', spec.name.find('.') + 1);
    Part& part = parts[numbered ? spec.name.substr(0, second_dot + 1) : ""];
    part.bytes += checkpoint_bytes(spec);
    part.tensors += spec.packed.experts * (has_scales(spec) ? 2 : 1);
  }
  return parts;
}

TEST(Tensors, OfTheBigModelHaveThePublishedBytesPerLayer) {
  auto parts = parts_of(big_config());
  constexpr u64 kEngramRest = 157521920;
  for (const u32 layer : {0, 3, 19, 21, 39})
    EXPECT_EQ(parts["layers." + std::to_string(layer) + "."].bytes, 7389500888u);
  EXPECT_EQ(parts["layers.1."].bytes, 7389500888u + kEngramRest);
  EXPECT_EQ(parts["layers.2."].bytes, 7405694680u);
  EXPECT_EQ(parts["layers.8."].bytes, 7405694680u);
  EXPECT_EQ(parts["layers.14."].bytes, 7405694680u + kEngramRest);
  EXPECT_EQ(parts["layers.20."].bytes, 7400451800u);
  EXPECT_EQ(parts["layers.36."].bytes, 7395076568u);
  EXPECT_EQ(parts["mtp.0."].bytes, 2652643800u);
  EXPECT_EQ(parts["mtp.1."].bytes, 2573913560u);
  EXPECT_EQ(parts["mtp.2."].bytes, 2706317272u);
  EXPECT_EQ(parts[""].bytes, 1323827200u + 1323837440u);
}

TEST(Tensors, OfTheBigModelHaveThePublishedCounts) {
  auto parts = parts_of(big_config());
  EXPECT_EQ(parts["mtp.0."].tensors, 801u);  // spec dspark.md 1.2
  EXPECT_EQ(parts["mtp.1."].tensors, 798u);
  EXPECT_EQ(parts["mtp.2."].tensors, 802u);
  u64 all = 0;
  for (const auto& [name, part] : parts) all += part.tensors;
  constexpr u64 kEngramTables = 4;  // codes and scales of two
  constexpr u64 kVision = 263 + 3;  // shard 00001, and the three image vectors
  EXPECT_EQ(all + kEngramTables + kVision, 96085u);
}

TEST(Tensors, ExpertsAndScalesHaveTheOfficialNames) {
  for (const TensorSpec& spec : tensor_specs(big_config())) {
    if (spec.name == "layers.3.ffn.experts.w1") {
      EXPECT_TRUE(spec.stacked());
      EXPECT_EQ(spec.expert_name(7), "layers.3.ffn.experts.7.w1.weight");
      EXPECT_EQ(spec.expert_scale_name(7), "layers.3.ffn.experts.7.w1.scale");
    }
    if (spec.name == "layers.3.attn.wq_a.weight") {
      EXPECT_FALSE(spec.stacked());
      EXPECT_EQ(spec.expert_name(0), spec.name);
      EXPECT_EQ(spec.expert_scale_name(0), "layers.3.attn.wq_a.scale");
    }
  }
}

// The table of spec model.md 2.4, column "official checkpoint" (in GB with three decimals).
TEST(Tensors, BytesReadPerTokenOfTheBigModelAreThePublishedOnes) {
  const Config config = big_config();
  std::map<TensorClass, u64> bytes;
  for (const TensorSpec& spec : tensor_specs(config)) {
    if (!spec.draft) bytes[spec.tensor_class] += bytes_read_per_token(spec, checkpoint_bytes(spec), config);
  }
  const auto gb = [&](TensorClass tensor_class) { return static_cast<double>(bytes[tensor_class]) * 1e-9; };
  EXPECT_NEAR(gb(TensorClass::kAttention), 5.070, 0.0006);
  EXPECT_NEAR(gb(TensorClass::kRoutedExperts), 4.512, 0.0006);
  EXPECT_NEAR(gb(TensorClass::kSharedExperts), 1.417, 0.0006);
  EXPECT_NEAR(gb(TensorClass::kHead), 1.324, 0.0006);
  EXPECT_NEAR(gb(TensorClass::kEngramProjection), 0.315, 0.0006);
  EXPECT_NEAR(gb(TensorClass::kRouter), 0.157, 0.0006);
  EXPECT_NEAR(gb(TensorClass::kIndex), 0.082, 0.0006);
  EXPECT_NEAR(gb(TensorClass::kMix), 0.158, 0.0006);
}

}  // namespace
}  // namespace bolide::model
