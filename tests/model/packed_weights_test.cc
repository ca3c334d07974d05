#include "model/packed_weights.h"

#include <gmock/gmock.h>

#include "arith/bf16.h"
#include "base/mapped_file.h"
#include "base/philox.h"
#include "formats/packed_writer.h"
#include "model/tensors.h"

namespace bolide::model {
namespace {

using formats::Form;
using formats::PackedFile;
using formats::PackedSpec;
using formats::WeightType;
using testing::HasSubstr;

// The nano model's shape.
Config nano_config() {
  const std::string path = BOLIDE_SOURCE_DIR "/models/nano/config.json";
  return *parse_config(*read_text_file(path, 1 << 20), path);
}

// Bytes that are numbers in every type: magnitudes between 2^-14 and 2^1, in Q4_K below 64.
std::vector<std::byte> numbers(const PackedSpec& spec, u64 seed) {
  const auto planes = formats::plane_bytes(spec.shape);
  check(planes.ok(), "test shapes are good");
  std::vector<std::byte> bytes(spec.shape.experts * (planes->codes + planes->scales));
  for (u64 i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(philox4x32(seed, {static_cast<u32>(i), 0, 0, 0})[0] & 0x3f);
  }
  return bytes;
}

std::vector<PackedSpec> specs_of(const Config& config) {
  std::vector<PackedSpec> specs;
  for (const TensorSpec& spec : tensor_specs(config)) specs.push_back({spec.name, "test", spec.packed});
  return specs;
}

PackedSpec& named(std::vector<PackedSpec>& specs, std::string_view name) {
  const auto found = std::ranges::find(specs, name, &PackedSpec::name);
  check(found != specs.end(), "the test names a tensor of the model");
  return *found;
}

// A file of these tensors; those in `contents` have the given bytes, the others zeros.
PackedFile file_of(const std::vector<PackedSpec>& specs,
                   const std::vector<std::pair<std::string, std::vector<std::byte>>>& contents = {}) {
  auto writer = formats::PackedWriter::to_memory("test.bolide", {"{}", "{}", "{}"}, specs);
  check(writer.ok(), "test files can be planned");
  for (std::size_t i = 0; i < specs.size(); ++i) {
    std::vector<std::byte> bytes;
    for (const auto& [name, content] : contents) {
      if (name == specs[i].name) bytes = content;
    }
    const auto planes = formats::plane_bytes(specs[i].shape);
    bytes.resize(specs[i].shape.experts * (planes->codes + planes->scales));
    check(writer->append(i, bytes).ok(), "memory does not fail");
  }
  auto file = writer->finish();
  check(file.ok(), "a finished file opens");
  return *file;
}

std::string refusal(const std::vector<PackedSpec>& specs,
                    const std::vector<std::pair<std::string, std::vector<std::byte>>>& contents = {}) {
  const auto weights = load_packed_weights(nano_config(), file_of(specs, contents));
  return weights ? "accepted" : weights.error().message;
}

TEST(PackedWeights, QuantizedMatricesAreViewsOfTheirExperts) {
  const std::vector<PackedSpec> specs = specs_of(nano_config());
  const PackedFile file = file_of(specs);
  const auto weights = load_packed_weights(nano_config(), file);
  ASSERT_TRUE(weights) << weights.error().message;
  const Matrix& w2 = weights->layers[5].mixture.experts[3].w2;
  const formats::PackedTensor* packed = file.find("layers.5.ffn.experts.w2");
  EXPECT_EQ(w2.type, MatrixType::kMxfp4);
  EXPECT_EQ(w2.rows, 256);
  EXPECT_EQ(w2.k, 128);
  EXPECT_EQ(w2.codes.data(), packed->codes(3).data());
  EXPECT_EQ(w2.codes.size(), 256 * 128 / 2);
  EXPECT_EQ(w2.scales.data(), packed->scales(3).data());
  EXPECT_EQ(w2.scales.size(), 256 * 128 / 32);
  EXPECT_EQ(weights->head.type, MatrixType::kQ8_0);
  EXPECT_EQ(weights->embed.type, MatrixType::kBf16);
  EXPECT_EQ(weights->embed.codes.data(), file.find("embed.weight")->all_codes.data());
}

TEST(PackedWeights, StayValidAfterTheFileWasLetGo) {
  auto weights = load_packed_weights(nano_config(), file_of(specs_of(nano_config())));
  ASSERT_TRUE(weights);
  EXPECT_EQ(weights->head.codes.back(), std::byte{0});
}

// The router is BF16 [16][256]: its tile holds 4 columns of 32 rows side by side.
TEST(PackedWeights, FloatMatricesLeaveTheirTiles) {
  const std::vector<PackedSpec> specs = specs_of(nano_config());
  const std::string name = "layers.0.ffn.gate.weight";
  std::vector<PackedSpec> copy = specs;
  const std::vector<std::byte> bytes = numbers(named(copy, name), 1);
  const auto weights = load_packed_weights(nano_config(), file_of(specs, {{name, bytes}}));
  ASSERT_TRUE(weights) << weights.error().message;
  const FloatMatrix& gate = weights->layers[0].mixture.gate;
  ASSERT_EQ(gate.values.size(), 16 * 256);
  for (u64 row = 0; row < 16; ++row) {
    for (u64 k = 0; k < 256; ++k) {
      const u64 at = 2 * ((k / 4 * 32 + row) * 4 + k % 4);
      EXPECT_EQ(gate.row(static_cast<u32>(row))[k], arith::bf16(arith::bf16_value(load<u16>(&bytes[at]))));
    }
  }
}

TEST(PackedWeights, SmallFloatsPassTheDoorOfRule0) {
  std::vector<std::byte> bytes(3 * 4);
  store(&bytes[0], -0x1.8p-41f);
  store(&bytes[4], 0x1p-40f);
  store(&bytes[8], 3.0f);
  const auto weights =
      load_packed_weights(nano_config(), file_of(specs_of(nano_config()), {{"layers.0.hc_attn_scale", bytes}}));
  ASSERT_TRUE(weights) << weights.error().message;
  const std::vector<float>& scale = weights->layers[0].attention_mix.scale;
  EXPECT_EQ(std::bit_cast<u32>(scale[0]), 0x80000000);
  EXPECT_EQ(scale[1], 0x1p-40f);
  EXPECT_EQ(scale[2], 3.0f);
}

TEST(PackedWeights, FloatRolesMayHaveAnyFloatType) {
  std::vector<PackedSpec> specs = specs_of(nano_config());
  named(specs, "norm.weight").shape.type = WeightType::kF16;
  named(specs, "layers.2.attn.compressor.wkv.weight").shape.type = WeightType::kF32;
  named(specs, "embed.weight").shape.type = WeightType::kF32;
  std::vector<std::byte> norm(2 * 256);
  store(&norm[2], u16{0x3e00});  // 1.5
  std::vector<std::byte> embed(u64{4} * 8192 * 256);
  store(&embed[4 * (256 + 7)], 1.00390625f);  // between two BF16 numbers, a tie: to even
  const auto weights =
      load_packed_weights(nano_config(), file_of(specs, {{"norm.weight", norm}, {"embed.weight", embed}}));
  ASSERT_TRUE(weights) << weights.error().message;
  EXPECT_EQ(weights->norm[1], 1.5f);
  EXPECT_EQ(weights->embed.type, MatrixType::kBf16);
  ASSERT_EQ(weights->embed.codes.size(), u64{2} * 8192 * 256);
  EXPECT_EQ(load<u16>(&weights->embed.codes[2 * (256 + 7)]), 0x3f80);
}

TEST(PackedWeights, ExpertsMayBeQ4K) {
  std::vector<PackedSpec> specs = specs_of(nano_config());
  for (const char* matrix : {"w1", "w3"}) {  // K of w2 is no multiple of 256 here
    named(specs, std::string("layers.0.ffn.experts.") + matrix).shape.type = WeightType::kQ4_K;
  }
  const std::vector<std::byte> bytes = numbers(named(specs, "layers.0.ffn.experts.w1"), 2);
  const auto weights = load_packed_weights(nano_config(), file_of(specs, {{"layers.0.ffn.experts.w1", bytes}}));
  ASSERT_TRUE(weights) << weights.error().message;
  EXPECT_EQ(weights->layers[0].mixture.experts[15].w1.type, MatrixType::kQ4K);
  EXPECT_EQ(weights->layers[0].mixture.experts[15].w2.type, MatrixType::kMxfp4);
}

TEST(PackedWeights, TheDrafterMayBeAbsentAsAWhole) {
  std::vector<PackedSpec> specs = specs_of(nano_config());
  std::vector<PackedSpec> trunk = specs;
  std::erase_if(trunk, [](const PackedSpec& spec) { return spec.name.starts_with("mtp."); });
  const auto weights = load_packed_weights(nano_config(), file_of(trunk));
  ASSERT_TRUE(weights) << weights.error().message;
  EXPECT_FALSE(weights->draft.has_value());
  std::erase_if(specs, [](const PackedSpec& spec) { return spec.name == "mtp.1.attn_norm.weight"; });
  EXPECT_THAT(refusal(specs), HasSubstr("tensor mtp.1.attn_norm.weight (BF16 rows [1 x 1 x 256]) is missing"));
}

TEST(PackedWeights, TensorsThatDoNotFitTheConfigurationAreNamed) {
  const std::vector<PackedSpec> good = specs_of(nano_config());
  std::vector<PackedSpec> specs = good;
  std::erase_if(specs, [](const PackedSpec& spec) { return spec.name == "head.weight"; });
  EXPECT_THAT(refusal(specs), HasSubstr("test.bolide: tensor head.weight (Q8_0 tiles [1 x 8192 x 256]) is missing"));

  specs = good;
  specs.push_back({"layers.8.attn_norm.weight", "test", {WeightType::kBF16, Form::kPlain, 1, 1, 256}});
  EXPECT_THAT(refusal(specs), HasSubstr("tensor layers.8.attn_norm.weight (BF16 rows [1 x 1 x 256]) is unknown"));

  specs = good;
  named(specs, "layers.0.attn.wkv.weight").shape.rows = 480;
  EXPECT_THAT(refusal(specs), HasSubstr("tensor layers.0.attn.wkv.weight is Q8_0 tiles [1 x 480 x 256], but"));

  specs = good;
  named(specs, "layers.0.attn.wkv.weight").shape.type = WeightType::kBF16;
  EXPECT_THAT(refusal(specs), HasSubstr("tensor layers.0.attn.wkv.weight is BF16 tiles"));

  specs = good;
  named(specs, "layers.0.ffn.experts.w2").shape.experts = 15;
  EXPECT_THAT(refusal(specs), HasSubstr("tensor layers.0.ffn.experts.w2 is MXFP4 tiles [15 x 256 x 128], but"));

  specs = good;
  named(specs, "embed.weight").shape.form = Form::kTiled;
  EXPECT_THAT(refusal(specs), HasSubstr("tensor embed.weight is BF16 tiles [1 x 8192 x 256], but"));
}

// The last byte or number of a tensor is set to a code that is no number.
TEST(PackedWeights, CodesThatAreNoNumbersAreNamed) {
  const auto with_last = [](std::vector<PackedSpec> specs, const std::string& name, u32 code, std::size_t code_bytes) {
    std::vector<std::byte> bytes = numbers(named(specs, name), 3);
    std::memcpy(bytes.data() + bytes.size() - code_bytes, &code, code_bytes);
    return refusal(specs, {{name, bytes}});
  };
  const std::vector<PackedSpec> specs = specs_of(nano_config());
  EXPECT_THAT(with_last(specs, "layers.7.ffn.experts.w3", 255, 1),
              HasSubstr("tensor layers.7.ffn.experts.w3, expert 15: a scale has the NaN code 255"));
  EXPECT_THAT(with_last(specs, "layers.7.ffn.experts.w3", 254, 1), "accepted");
  EXPECT_THAT(with_last(specs, "head.weight", 0x7c00, 2), HasSubstr("tensor head.weight: a scale is not finite"));
  EXPECT_THAT(with_last(specs, "head.weight", 0xfe00, 2), HasSubstr("a scale is not finite"));
  EXPECT_THAT(with_last(specs, "norm.weight", 0xff80, 2), HasSubstr("tensor norm.weight: a value is not finite"));
  EXPECT_THAT(with_last(specs, "layers.0.hc_ffn_fn", 0x7f800000, 4), HasSubstr("a value is not finite"));
  std::vector<PackedSpec> q4_k = specs;
  named(q4_k, "layers.0.ffn.experts.w1").shape.type = WeightType::kQ4_K;
  EXPECT_THAT(with_last(q4_k, "layers.0.ffn.experts.w1", 64, 1), HasSubstr("a block's scale or minimum is above 63"));
}

}  // namespace
}  // namespace bolide::model
