#include "convert/to_gguf.h"

#include <gmock/gmock.h>

#include "convert/checkpoint_to_packed.h"
#include "convert/file_names.h"
#include "convert/gguf_example.h"
#include "convert/gguf_to_packed.h"
#include "convert/plain_numbers.h"
#include "support/temp_folder.h"

namespace bolide::convert {
namespace {

using formats::GgufType;
using formats::WeightType;
using ::testing::HasSubstr;

const PackedModel& packed_nano() {
  static const Result<PackedModel> model = convert_to_memory(test::nano_folder(), {});
  check(model.ok(), "the nano model can be packed");
  return *model;
}

GgufModel open_pair(const test::TempFolder& folder, std::string_view name) {
  const std::string path = folder.file(name);
  Result<GgufModel> model = open_gguf_model(path, gguf_draft_path(path));
  check(model.ok(), "what was written can be opened");
  return *std::move(model);
}

std::string content_of(const std::string& path) {
  return read_text_file(path, u64{1} << 30).value();
}

TEST(ToGguf, CheckpointToExactGgufToPackedIsCheckpointToPacked) {
  const test::TempFolder folder;
  const auto written = convert_to_gguf(gguf_input(test::nano_folder()), folder.file("m.gguf"), GgufRecipe::kExact, {});
  ASSERT_TRUE(written.ok()) << written.error().message;
  const GgufModel model = open_pair(folder, "m.gguf");
  const Result<PackedModel> packed = convert_to_files(model, folder.file("m.bolide"), {});
  ASSERT_TRUE(packed.ok()) << packed.error().message;
  const formats::PackedFile& wanted = packed_nano().weights;
  ASSERT_EQ(packed->weights.tensors().size(), wanted.tensors().size());
  for (std::size_t i = 0; i < wanted.tensors().size(); ++i) {
    const formats::PackedTensor& a = packed->weights.tensors()[i];
    const formats::PackedTensor& b = wanted.tensors()[i];
    ASSERT_EQ(a.spec.name, b.spec.name);
    EXPECT_EQ(a.spec.tensor_class, b.spec.tensor_class);
    EXPECT_EQ(a.spec.shape.type, b.spec.shape.type) << a.spec.name;
    EXPECT_EQ(a.spec.shape.form, b.spec.shape.form) << a.spec.name;
    EXPECT_TRUE(std::ranges::equal(a.all_codes, b.all_codes)) << a.spec.name;
    EXPECT_TRUE(std::ranges::equal(a.all_scales, b.all_scales)) << a.spec.name;
  }
  EXPECT_EQ(packed->weights.config_json(), wanted.config_json());

  ASSERT_TRUE(convert_to_files(test::nano_folder(), folder.file("direct.bolide"), {}).ok());
  EXPECT_EQ(content_of(folder.file("m.engram")), content_of(folder.file("direct.engram")));
}

TEST(ToGguf, APackedFileGivesTheSameGgufAsItsCheckpointWhateverTheThreads) {
  const test::TempFolder folder;
  ASSERT_TRUE(convert_to_files(test::nano_folder(), folder.file("nano.bolide"), {}).ok());
  const Result<GgufInput> packed = gguf_input(folder.file("nano.bolide"));
  ASSERT_TRUE(packed.ok()) << packed.error().message;
  const GgufInput checkpoint = gguf_input(test::nano_folder());
  ASSERT_TRUE(convert_to_gguf(*packed, folder.file("a.gguf"), GgufRecipe::kExact, {.n_threads = 3}).ok());
  ASSERT_TRUE(convert_to_gguf(checkpoint, folder.file("b.gguf"), GgufRecipe::kExact, {.n_threads = 1}).ok());
  EXPECT_EQ(content_of(folder.file("a.gguf")), content_of(folder.file("b.gguf")));
  EXPECT_EQ(content_of(folder.file("a-draft.gguf")), content_of(folder.file("b-draft.gguf")));
}

// F16 holds a BF16 number exactly from 2^-14 on, and is half a step of 2^-24 off below.
void expect_within_f16(const formats::PackedTensor& wanted, const formats::PackedTensor& found) {
  for (u64 row = 0; row < wanted.spec.shape.rows; ++row) {
    for (u64 k = 0; k < wanted.spec.shape.columns; ++k) {
      const double w = test::plain_packed_value(wanted, 0, row, k);
      const double bound = std::fabs(w) >= 0x1p-14 ? 0 : 0x1p-25;
      ASSERT_LE(std::fabs(test::plain_packed_value(found, 0, row, k) - w), bound) << wanted.spec.name;
    }
  }
}

// What ds4 stores, and what becomes of the checkpoint's values in it.
TEST(ToGguf, TheMxfp4RecipeHasDs4sTypesAndKeepsTheExperts) {
  const test::TempFolder folder;
  const auto written = convert_to_gguf(gguf_input(test::nano_folder()), folder.file("m.gguf"), GgufRecipe::kMxfp4, {});
  ASSERT_TRUE(written.ok()) << written.error().message;
  const GgufModel model = open_pair(folder, "m.gguf");
  EXPECT_EQ(model.target->value("deepseek41.quantization")->text(), "mxfp4");
  const auto type = [&](std::string_view name) { return model.target->find(name)->type; };
  EXPECT_EQ(type("token_embd.weight"), GgufType::kF16);
  EXPECT_EQ(type("output.weight"), GgufType::kQ8_0);
  EXPECT_EQ(type("output_norm.weight"), GgufType::kF32);
  EXPECT_EQ(type("blk.3.hc_attn_fn.weight"), GgufType::kF16);
  EXPECT_EQ(type("blk.2.indexer.attn_q_b.weight"), GgufType::kF16);
  EXPECT_EQ(type("blk.1.engram_kv.weight"), GgufType::kF16);
  EXPECT_EQ(type("blk.0.ffn_gate_inp.weight"), GgufType::kF32);
  EXPECT_EQ(type("blk.7.ffn_down_exps.weight"), GgufType::kMXFP4);
  EXPECT_EQ(model.draft->find("mtp.2.markov_head.markov_w1.weight")->type, GgufType::kQ8_0);
  EXPECT_EQ(model.draft->find("mtp.2.confidence_head.proj.weight")->type, GgufType::kF32);

  const Result<PackedModel> packed = convert_to_memory(model, {});
  ASSERT_TRUE(packed.ok()) << packed.error().message;
  u64 held_as_f16 = 0;
  for (const GgufSource& source : model.tensors) {
    const formats::PackedTensor& wanted = *packed_nano().weights.find(source.spec.name);
    const formats::PackedTensor& found = *packed->weights.find(source.spec.name);
    ASSERT_EQ(found.spec.shape.type, wanted.spec.shape.type) << source.spec.name;
    if (source.spec.name.ends_with("_fn") || source.spec.name.ends_with("markov_head.embed.weight")) continue;  // lossy
    if (source.tensor->type == GgufType::kF16 && wanted.spec.shape.type == WeightType::kBF16) {
      expect_within_f16(wanted, found);
      ++held_as_f16;
    } else {
      EXPECT_EQ(found.digest, wanted.digest) << source.spec.name;
    }
  }
  EXPECT_EQ(held_as_f16, 9u);  // embedding, compressors, index keys and weights
}

TEST(ToGguf, ReportAndProgressCountEveryByte) {
  const test::TempFolder folder;
  u64 done_bytes = 0, total_bytes = 0;
  ConvertOptions options{.progress = [&](u64 done, u64 total) {
    EXPECT_GT(done, done_bytes);
    done_bytes = done;
    total_bytes = total;
  }};
  const auto written =
      convert_to_gguf(gguf_input(test::nano_folder()), folder.file("m.gguf"), GgufRecipe::kExact, options);
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(done_bytes, total_bytes);
  u64 bytes_out = 0;
  for (const ClassReport& line : written->report.classes) bytes_out += line.bytes_out;
  EXPECT_EQ(bytes_out, total_bytes);
  EXPECT_EQ(written->target_bytes, content_of(folder.file("m.gguf")).size());
  EXPECT_EQ(written->draft_bytes, content_of(folder.file("m-draft.gguf")).size());
}

TEST(ToGguf, TheDrafterCanBeLeftOut) {
  const test::TempFolder folder;
  const auto written = convert_to_gguf(gguf_input(test::nano_folder()), folder.file("m.gguf"), GgufRecipe::kExact,
                                       {.with_draft = false});
  ASSERT_TRUE(written.ok());
  EXPECT_FALSE(folder.has("m-draft.gguf"));
  EXPECT_EQ(written->draft_bytes, 0u);
  EXPECT_EQ(written->report.omitted_draft.count, 78u);
}

TEST(ToGguf, Q4KExpertsStayExactAndAreNoMxfp4) {
  const test::TempFolder folder;
  test::write_gguf_example(folder.file("q4.gguf"), folder.file("q4-draft.gguf"));
  const GgufModel q4 = open_pair(folder, "q4.gguf");
  ASSERT_TRUE(convert_to_files(q4, folder.file("q4.bolide"), {}).ok());
  const Result<GgufInput> input = gguf_input(folder.file("q4.bolide"));
  ASSERT_TRUE(input.ok()) << input.error().message;
  const auto refused = convert_to_gguf(*input, folder.file("again.gguf"), GgufRecipe::kMxfp4, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("ffn.experts.w1 is Q4_K, which cannot become MXFP4"));
  EXPECT_FALSE(folder.has("again.gguf"));
  ASSERT_TRUE(convert_to_gguf(*input, folder.file("again.gguf"), GgufRecipe::kExact, {}).ok());
  const GgufModel again = open_pair(folder, "again.gguf");
  for (const GgufSource& source : q4.tensors) {
    const auto found = std::ranges::find(again.tensors, source.spec.name, [](const auto& s) { return s.spec.name; });
    ASSERT_NE(found, again.tensors.end());
    if (found->tensor->type != source.tensor->type) continue;  // an FP8 role in F16 became Q8_0
    EXPECT_TRUE(std::ranges::equal(found->tensor->data, source.tensor->data)) << source.spec.name;
  }
}

TEST(ToGguf, AWeightTooLargeForF16IsRefusedByName) {
  const formats::PackedTensor& norm = *packed_nano().weights.find("embed.weight");
  std::vector<std::byte> codes(norm.all_codes.begin(), norm.all_codes.end());
  store(&codes[2 * 256 * 7], u16{0x4780});  // 65,536 in row 7
  const test::TempFolder folder;
  folder.write("codes", as_text(codes));
  const Result<MappedFile> file = MappedFile::open(folder.file("codes"));
  ASSERT_TRUE(file.ok());
  formats::Placement place = norm.placement;
  place.codes_offset = 0;
  GgufInput input = gguf_input(test::nano_folder());
  for (GgufInput::Tensor& tensor : input.tensors) {
    if (tensor.spec.name != "embed.weight") continue;
    tensor.open = [&file, place, spec = tensor.spec] { return packed_reader(spec, place, *file); };
  }
  const auto refused = convert_to_gguf(input, folder.file("m.gguf"), GgufRecipe::kMxfp4, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("tensor embed.weight: row 7"), HasSubstr("too large for F16"), HasSubstr("exact")));
  EXPECT_FALSE(folder.has("m.gguf"));
  EXPECT_FALSE(folder.has("m-draft.gguf"));
}

TEST(FileNames, TheDrafterStandsBesideTheGguf) {
  EXPECT_EQ(gguf_draft_path("models/nano.gguf"), "models/nano-draft.gguf");
  EXPECT_EQ(gguf_draft_path("nano"), "nano-draft.gguf");
}

}  // namespace
}  // namespace bolide::convert
