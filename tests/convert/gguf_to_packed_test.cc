#include "convert/gguf_to_packed.h"

#include <cmath>
#include <gmock/gmock.h>

#include "convert/gguf_example.h"
#include "convert/gguf_tensor.h"
#include "convert/plain_numbers.h"
#include "engram/row_store.h"
#include "model/packed_weights.h"
#include "support/temp_folder.h"

namespace bolide::convert {
namespace {

using formats::GgufType;
using formats::WeightType;
using model::TensorSpec;
using ::testing::HasSubstr;

// An example on disk, open and packed.
class Example {
 public:
  explicit Example(const test::ExampleChanges& changes = {}, bool with_draft = true) {
    const std::string draft = with_draft ? folder_.file("draft.gguf") : "";
    test::write_gguf_example(folder_.file("model.gguf"), draft, changes);
    Result<GgufModel> opened = open_gguf_model(folder_.file("model.gguf"), draft);
    if (!opened) {
      error_ = opened.error().message;
      return;
    }
    model_ = *std::move(opened);
    Result<PackedModel> packed = convert_to_memory(model_, {});
    if (packed) {
      packed_.emplace(*std::move(packed));
    } else {
      error_ = packed.error().message;
    }
  }

  const std::string& error() const { return error_; }
  const GgufModel& model() const { return model_; }
  const PackedModel& packed() const { return *packed_; }
  const GgufSource& source(std::string_view name) const {
    const auto found = std::ranges::find_if(model_.tensors, [&](const auto& s) { return s.spec.name == name; });
    check(found != model_.tensors.end(), "the tensor is one of the model's");
    return *found;
  }
  const formats::PackedTensor& tensor(std::string_view name) const { return *packed_->weights.find(name); }
  WeightType type(std::string_view name) const { return tensor(name).spec.shape.type; }

 private:
  test::TempFolder folder_;
  GgufModel model_;
  std::optional<PackedModel> packed_;
  std::string error_;
};

// As ds4 publishes it.
const Example& published() {
  static const Example example;
  return example;
}

// Every element, padding rows included.
void expect_same_values(const GgufSource& source, const formats::PackedTensor& packed) {
  const formats::PackedShape& shape = packed.spec.shape;
  const u64 rows = shape.form == formats::Form::kTiled ? (shape.rows + 31) / 32 * 32 : shape.rows;
  for (u64 expert = 0; expert < shape.experts; ++expert) {
    for (u64 row = 0; row < rows; ++row) {
      for (u64 k = 0; k < shape.columns; ++k) {
        const double wanted = row < shape.rows ? test::plain_gguf_value(*source.tensor, expert, row, k) : 0;
        ASSERT_EQ(test::plain_packed_value(packed, expert, row, k), wanted)
            << source.spec.name << " expert " << expert << " row " << row << " column " << k;
      }
    }
  }
}

// The converter's rule (arithmetic.md rule 2), a block at a time.
void expect_requantized(const GgufSource& source, const formats::PackedTensor& packed) {
  const u64 columns = packed.spec.shape.columns;
  for (u64 row = 0; row < packed.spec.shape.rows; ++row) {
    for (u64 begin = 0; begin < columns; begin += 32) {
      double largest = 0;
      for (u64 k = begin; k < begin + 32; ++k) {
        largest = std::max(largest, std::fabs(test::plain_gguf_value(*source.tensor, 0, row, k)));
      }
      const double d = test::plain_f16(test::nearest_f16(static_cast<float>(largest) / 127.0f));
      for (u64 k = begin; k < begin + 32; ++k) {
        const auto w = static_cast<float>(test::plain_gguf_value(*source.tensor, 0, row, k));
        const float q = std::rint(w / static_cast<float>(d));
        ASSERT_EQ(test::plain_packed_value(packed, 0, row, k), d * std::min(127.0f, std::max(-127.0f, q)))
            << source.spec.name << " row " << row << " column " << k;
      }
    }
  }
}

TEST(GgufToPacked, PublishedTypesOfTheQ4FileHaveTheRightValues) {
  const Example& example = published();
  ASSERT_EQ(example.error(), "");
  ASSERT_EQ(example.packed().weights.tensors().size(), model::tensor_specs(example.model().config).size());
  u64 requantized = 0, from_q8_0 = 0;
  for (const GgufSource& source : example.model().tensors) {
    const formats::PackedTensor& packed = example.tensor(source.spec.name);
    const WeightType type = packed.spec.shape.type;
    if (source.spec.packed.type == WeightType::kQ8_0 && source.tensor->type == GgufType::kF16) {
      ASSERT_EQ(type, WeightType::kQ8_0);
      expect_requantized(source, packed);
      ++requantized;
    } else if (source.spec.name.ends_with("markov_head.embed.weight")) {
      ASSERT_EQ(source.tensor->type, GgufType::kQ8_0);
      ASSERT_EQ(type, WeightType::kBF16);
      ++from_q8_0;  // compared below
    } else {
      expect_same_values(source, packed);
    }
  }
  EXPECT_EQ(requantized, 5u);  // Engram projections and index queries
  EXPECT_EQ(from_q8_0, 1u);
  EXPECT_EQ(example.type("layers.3.ffn.experts.w2"), WeightType::kQ4_K);
  EXPECT_EQ(example.type("mtp.1.ffn.experts.w1"), WeightType::kQ4_K);
  EXPECT_EQ(example.type("layers.0.hc_attn_fn"), WeightType::kF32);  // F16 in the file
  EXPECT_EQ(example.type("layers.0.attn.wq_a.weight"), WeightType::kQ8_0);
}

// Rule 7: such a row enters as bf16(value) whatever holds it.
TEST(GgufToPacked, LookedUpRowsInQ80AreRoundedToBf16) {
  const Example& example = published();
  const GgufSource& source = example.source("mtp.2.markov_head.embed.weight");
  const formats::PackedTensor& packed = example.tensor(source.spec.name);
  for (u64 row = 0; row < 100; ++row) {
    for (u64 k = 0; k < packed.spec.shape.columns; ++k) {
      const double value = test::plain_gguf_value(*source.tensor, 0, row, k);
      const double found = test::plain_packed_value(packed, 0, row, k);
      ASSERT_LE(std::fabs(found - value), std::fabs(value) / 256);  // half a unit of 8 bits
    }
  }
}

TEST(GgufToPacked, EveryPackedTensorLoads) {
  const Example& example = published();
  ASSERT_EQ(example.error(), "");
  const auto weights = model::load_packed_weights(example.model().config, example.packed().weights);
  ASSERT_TRUE(weights.ok()) << weights.error().message;
  EXPECT_TRUE(weights->draft.has_value());
  EXPECT_EQ(weights->layers[0].mixture.experts[0].w1.type, model::MatrixType::kQ4K);
}

TEST(GgufToPacked, ABf16RoleIsBf16OnlyWhereEveryValueIs) {
  const Example& wide = published();
  const Example exact({.bf16_values = true});
  ASSERT_EQ(exact.error(), "");
  for (const Example* example : {&wide, &exact}) {
    const bool fits = example == &exact;
    EXPECT_EQ(example->type("embed.weight"), fits ? WeightType::kBF16 : WeightType::kF16);
    EXPECT_EQ(example->type("layers.2.attn.compressor.wkv.weight"), fits ? WeightType::kBF16 : WeightType::kF16);
    EXPECT_EQ(example->type("layers.0.ffn.gate.weight"), fits ? WeightType::kBF16 : WeightType::kF32);
    EXPECT_EQ(example->type("layers.0.attn_norm.weight"), fits ? WeightType::kBF16 : WeightType::kF32);
    EXPECT_EQ(example->type("layers.0.ffn.gate.bias"), WeightType::kF32);
    expect_same_values(example->source("embed.weight"), example->tensor("embed.weight"));
    expect_same_values(example->source("layers.0.ffn.gate.weight"), example->tensor("layers.0.ffn.gate.weight"));
  }
}

TEST(GgufToPacked, AnFp8RoleInAnyFloatTypeBecomesQ80) {
  for (const GgufType stored : {GgufType::kF16, GgufType::kBF16, GgufType::kF32}) {
    const Example example({.type = [&](const TensorSpec& spec) {
      return spec.packed.type == WeightType::kQ8_0 ? stored : test::q4_type(spec);
    }});
    ASSERT_EQ(example.error(), "");
    for (const char* name : {"layers.0.attn.wq_a.weight", "head.weight", "mtp.0.main_proj.weight"}) {
      EXPECT_EQ(example.type(name), WeightType::kQ8_0);
      expect_requantized(example.source(name), example.tensor(name));
    }
  }
}

// ds4's optional attention recipe; and heads of the drafter as some tools write them.
TEST(GgufToPacked, OtherTypesThatARoleCanTake) {
  const Example example({.type = [](const TensorSpec& spec) {
    if (spec.name.ends_with("attn.wo_b.weight") && spec.packed.columns % 256 == 0) return GgufType::kQ4_K;
    if (spec.name.ends_with("confidence_head.proj.weight")) return GgufType::kQ8_0;
    if (spec.name.ends_with("markov_head.embed.weight")) return GgufType::kBF16;
    if (spec.name.ends_with("hc_attn_fn")) return GgufType::kF32;
    return spec.stacked() ? GgufType::kMXFP4 : test::q4_type(spec);
  }});
  ASSERT_EQ(example.error(), "");
  for (const char* name : {"layers.1.attn.wo_b.weight", "mtp.2.confidence_head.proj.weight",
                           "mtp.2.markov_head.embed.weight", "layers.4.hc_attn_fn", "layers.7.ffn.experts.w3"}) {
    expect_same_values(example.source(name), example.tensor(name));
  }
  EXPECT_EQ(example.type("layers.1.attn.wo_b.weight"), WeightType::kQ4_K);
  EXPECT_EQ(example.type("mtp.2.confidence_head.proj.weight"), WeightType::kF32);
  const auto weights = model::load_packed_weights(example.model().config, example.packed().weights);
  ASSERT_TRUE(weights.ok()) << weights.error().message;
  EXPECT_EQ(weights->layers[1].attention.wo_b.type, model::MatrixType::kQ4K);
}

TEST(GgufToPacked, OfficialNamesAndOldNamesOfTheHeadsAreAccepted) {
  const Example& ds4 = published();
  const Example official({.name = [](const TensorSpec& spec) { return spec.name; }});
  const Example suffixed({.name = [](const TensorSpec& spec) {
    if (spec.name.ends_with("markov_head.embed.weight")) return std::string("mtp.2.markov_w1.weight");
    if (spec.name.ends_with("markov_head.head.weight")) return std::string("mtp.2.markov_w2.weight");
    if (spec.name.ends_with("confidence_head.proj.weight")) return std::string("mtp.2.confidence_proj.weight");
    return spec.name.ends_with(".weight") ? spec.name : spec.name + ".weight";
  }});
  ASSERT_EQ(official.error(), "");
  ASSERT_EQ(suffixed.error(), "");
  for (const formats::PackedTensor& tensor : ds4.packed().weights.tensors()) {
    EXPECT_EQ(official.tensor(tensor.spec.name).digest, tensor.digest) << tensor.spec.name;
    EXPECT_EQ(suffixed.tensor(tensor.spec.name).digest, tensor.digest) << tensor.spec.name;
  }
}

TEST(GgufToPacked, TheDrafterMayBeInTheSameFileOrMissing) {
  const Example without({}, false);
  ASSERT_EQ(without.error(), "");
  EXPECT_EQ(without.packed().weights.find("mtp.0.main_proj.weight"), nullptr);
  const auto weights = model::load_packed_weights(without.model().config, without.packed().weights);
  ASSERT_TRUE(weights.ok()) << weights.error().message;
  EXPECT_FALSE(weights->draft.has_value());

  const Example& with = published();
  const Result<PackedModel> omitted = convert_to_memory(with.model(), {.with_draft = false});
  ASSERT_TRUE(omitted.ok());
  EXPECT_EQ(omitted->weights.find("mtp.0.main_proj.weight"), nullptr);
  EXPECT_EQ(omitted->report.omitted_draft.count, 81u - 3u);  // nano has no biases for image tokens
}

// Some drafter files leave out the bias for image tokens, which drafts never are.
TEST(GgufToPacked, ADrafterWithoutImageBiasTakesTheOtherOne) {
  const Example example({.name =
                             [](const TensorSpec& spec) {
                               return spec.draft && spec.name.ends_with("bias_vl") ? "" : model::gguf_name(spec);
                             },
                         .has_vision = true});
  ASSERT_EQ(example.error(), "");
  EXPECT_EQ(example.tensor("mtp.1.ffn.gate.bias_vl").digest, example.tensor("mtp.1.ffn.gate.bias").digest);
  EXPECT_NE(example.tensor("layers.1.ffn.gate.bias_vl").digest, example.tensor("layers.1.ffn.gate.bias").digest);
}

TEST(GgufToPacked, EngramRowsAreReadWhereTheyLie) {
  const Example& example = published();
  const auto rows = engram::FileRows::open(example.model().engram_tables, example.model().config.engram.head_dim);
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  const formats::GgufTensor& table = *example.model().target->find("blk.3.engram_embd.weight");
  const std::vector<u64> wanted = {0, 17, example.model().config.engram.rows[1] - 1};
  std::vector<std::byte> found(wanted.size() * 66);
  ASSERT_TRUE((*rows)->read(1, wanted, found).ok());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(Bytes(found).subspan(i * 66, 66), table.data.subspan(wanted[i] * 66, 66)));
  }
}

TEST(GgufToPacked, AFileOnDiskHasTheBytesThatMemoryHas) {
  const Example& example = published();
  const test::TempFolder folder;
  const Result<PackedModel> written =
      convert_to_files(example.model(), folder.file("m.bolide"), {.n_threads = 3, .progress = {}});
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_TRUE(std::ranges::equal(written->weights.bytes(), example.packed().weights.bytes()));
  const auto rows = formats::open_engram_file(folder.file("m.engram"));
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_TRUE(formats::verify_contents(*rows).ok());
  EXPECT_EQ(rows->tables[1].digest, sha256(example.model().target->find("blk.3.engram_embd.weight")->data));
}

// ---- What must be refused (pitfalls B52), naming the thing.

std::string error_of(const test::ExampleChanges& changes) {
  return Example(changes).error();
}

test::ExampleChanges with_type(std::string_view ending, GgufType type) {
  return {.type = [=](const TensorSpec& spec) { return spec.name.ends_with(ending) ? type : test::q4_type(spec); }};
}

TEST(GgufRefusals, TypesThatARoleCannotTake) {
  EXPECT_THAT(error_of(with_type("mtp.0.ffn.experts.w1", GgufType::kQ8_0)),
              AllOf(HasSubstr("draft.gguf: tensor mtp.0.ffn_gate_exps.weight"), HasSubstr("must be MXFP4 or Q4_K")));
  EXPECT_THAT(error_of(with_type("layers.0.ffn.experts.w1", GgufType::kF16)), HasSubstr("must be MXFP4 or Q4_K"));
  EXPECT_THAT(error_of(with_type("layers.0.attn.wq_b.weight", GgufType::kI8)),
              AllOf(HasSubstr("blk.0.attn_q_b.weight"), HasSubstr("must be Q8_0, Q4_K, F16, BF16 or F32")));
  EXPECT_THAT(error_of(with_type("layers.2.hc_ffn_fn", GgufType::kQ8_0)), HasSubstr("must be F32, F16 or BF16"));
  EXPECT_THAT(error_of(with_type("mtp.2.markov_head.embed.weight", GgufType::kMXFP4)),
              HasSubstr("must be BF16, F16, F32 or Q8_0"));
}

TEST(GgufRefusals, MissingUnknownAndMisshapenTensors) {
  EXPECT_THAT(
      error_of(
          {.name = [](const TensorSpec& s) { return s.name == "mtp.1.attn.wkv.weight" ? "" : model::gguf_name(s); }}),
      HasSubstr("draft.gguf: tensor mtp.1.attn_kv.weight is missing"));
  EXPECT_THAT(error_of({.name =
                            [](const TensorSpec& s) {
                              return s.name == "layers.1.attn.wkv.weight" ? "blk.1.surprise" : model::gguf_name(s);
                            }}),
              HasSubstr("model.gguf: tensor blk.1.attn_kv.weight is missing"));
  const test::TempFolder folder;
  test::write_gguf(
      folder.file("m.gguf"),
      [] {
        formats::GgufMetadata metadata;
        metadata.add_text("general.architecture", "llama");
        return metadata;
      }(),
      {}, false);
  EXPECT_THAT(open_gguf_model(folder.file("m.gguf"), "").error().message,
              HasSubstr("general.architecture is \"llama\", wanted is \"deepseek41\""));
}

TEST(GgufRefusals, ADrafterOfAnotherCheckpoint) {
  const auto with_keys = [](auto change) {
    return error_of({.draft = [=](formats::GgufMetadata& metadata) {
      metadata.add_text("general.architecture", "deepseek41-dspark");
      change(metadata);
    }});
  };
  EXPECT_EQ(with_keys([](formats::GgufMetadata&) {}), "");  // the keys may be missing
  EXPECT_THAT(with_keys([](auto& m) { m.add_u32("dspark.expert_count", 128); }),
              AllOf(HasSubstr("n_routed_experts is [128], but the model has [8]"), HasSubstr("another checkpoint")));
  EXPECT_THAT(with_keys([](auto& m) { m.add_u32s("deepseek41.dspark.target_layer_ids", std::vector<u32>{4, 6, 7}); }),
              HasSubstr("target_layer_ids is [4, 6, 7], but the model has [5, 6, 7]"));
  EXPECT_THAT(with_keys([](auto& m) { m.add_u32("deepseek41.dspark.expert_feed_forward_length", 128); }),
              HasSubstr("[128], but the model has [256]"));
  const test::TempFolder folder;
  test::write_gguf_example(folder.file("m.gguf"), folder.file("d.gguf"));
  EXPECT_THAT(open_gguf_model(folder.file("d.gguf"), "").error().message, HasSubstr("this is a drafter"));
  EXPECT_THAT(open_gguf_model(folder.file("m.gguf"), folder.file("m.gguf")).error().message,
              HasSubstr("wanted is \"deepseek41-dspark\""));
}

TEST(GgufRefusals, NumbersThatAreNotFinite) {
  const Example& example = published();
  const auto error = [&](std::string_view name, u64 at, std::vector<u8> bytes) {
    const GgufSource& source = example.source(name);
    std::vector<std::byte> data(source.tensor->data.begin(), source.tensor->data.end());
    for (std::size_t i = 0; i < bytes.size(); ++i) data[at + i] = std::byte{bytes[i]};
    const test::TempFolder folder;
    folder.write("tensor", as_text(data));
    const Result<MappedFile> file = MappedFile::open(folder.file("tensor"));
    formats::GgufTensor bad = *source.tensor;
    bad.data = file->bytes();
    bad.file_offset = 0;
    TensorSpec spec = source.spec;
    spec.packed.type = *packed_type(spec, bad, *file);
    const auto done = convert_gguf_tensor(spec, bad, *file, [](Bytes) { return Status(); });
    return done.ok() ? "converted" : done.error().message;
  };
  EXPECT_THAT(error("layers.0.ffn.experts.w1", 144 * 1000, {0x00, 0x7c}),
              AllOf(HasSubstr("blk.0.ffn_gate_exps.weight"), HasSubstr("a scale is not a finite number")));
  EXPECT_THAT(error("layers.0.attn.wkv.weight", 34 * 100, {0x01, 0xfe}), HasSubstr("a scale is not a finite number"));
  EXPECT_THAT(error("embed.weight", 2 * 256 * 5, {0x00, 0xfc}), HasSubstr("a value of row 5 is not a finite number"));
  EXPECT_THAT(error("norm.weight", 8, {0, 0, 0x80, 0x7f}), HasSubstr("a value of row 0 is not a finite number"));
  EXPECT_THAT(error("layers.1.engram.wkv.weight", 2 * 768 * 3, {0x00, 0x7e}), HasSubstr("row 3 is not a finite"));
}

// ---- Metadata.

// Everything but the texts of the tensors' names.
std::vector<double> numbers_of(const model::Config& c) {
  std::vector<double> numbers = {double(c.vocab_size),
                                 double(c.dim),
                                 double(c.n_layers),
                                 double(c.n_heads),
                                 double(c.head_dim),
                                 double(c.rope_head_dim),
                                 double(c.q_lora_rank),
                                 double(c.o_groups),
                                 double(c.o_lora_rank),
                                 double(c.window_size),
                                 c.norm_eps,
                                 double(c.max_position),
                                 c.rope_theta,
                                 c.compress_rope_theta,
                                 c.rope_factor,
                                 c.beta_fast,
                                 c.beta_slow,
                                 double(c.original_length),
                                 double(c.candidate_source_layer),
                                 double(c.candidate_topk_blocks),
                                 double(c.candidate_block_size),
                                 double(c.index_n_heads),
                                 double(c.index_head_dim),
                                 double(c.index_topk),
                                 double(c.n_routed_experts),
                                 double(c.n_activated_experts),
                                 double(c.moe_inter_dim),
                                 c.route_scale,
                                 c.swiglu_limit,
                                 double(c.hc_mult),
                                 double(c.hc_sinkhorn_iters),
                                 c.hc_eps,
                                 double(c.engram.prime_search_start),
                                 double(c.engram.max_ngram),
                                 double(c.engram.n_heads),
                                 double(c.engram.head_dim),
                                 double(c.engram.pad_id),
                                 double(c.engram.compressed_vocab_size),
                                 double(c.draft.n_stages),
                                 double(c.draft.block_size),
                                 double(c.draft.noise_token_id),
                                 double(c.draft.markov_rank),
                                 double(c.draft.n_routed_experts),
                                 double(c.draft.n_activated_experts),
                                 double(c.image_token_id),
                                 double(c.bos_token_id),
                                 double(c.eos_token_id),
                                 double(c.has_vision)};
  const auto add = [&](const auto& list) { numbers.insert(numbers.end(), list.begin(), list.end()); };
  add(c.compress_ratios);
  add(c.kv_source_layers);
  add(c.index_source_layers);
  add(c.engram.layer_ids);
  add(c.engram.rows);
  add(c.draft.target_layer_ids);
  return numbers;
}

TEST(GgufMetadataOfAModel, TheKeysAloneMakeTheSameConfiguration) {
  for (const bool has_vision : {false, true}) {
    const Example with({.has_vision = has_vision});
    const Example without({.with_config_key = false, .has_vision = has_vision});
    ASSERT_EQ(without.error(), "");
    EXPECT_EQ(numbers_of(without.model().config), numbers_of(with.model().config));
    EXPECT_EQ(without.model().config.has_vision, has_vision);
  }
}

TEST(GgufMetadataOfAModel, EngramConstantsAreThoseOfTheCheckpoint) {
  const Example& example = published();
  const engram::EngramConstants& found = example.model().engram;
  const engram::EngramConstants& wanted = test::nano_folder().engram;
  EXPECT_EQ(example.model().documents.engram, test::nano_folder().documents.engram);
  EXPECT_EQ(found.token_map, wanted.token_map);
  EXPECT_EQ(found.compressed_pad_id, wanted.compressed_pad_id);
  ASSERT_EQ(found.tables.size(), wanted.tables.size());
  for (std::size_t i = 0; i < wanted.tables.size(); ++i) {
    EXPECT_EQ(found.tables[i].primes, wanted.tables[i].primes);
    EXPECT_EQ(found.tables[i].multipliers, wanted.tables[i].multipliers);
    EXPECT_EQ(found.tables[i].rows, wanted.tables[i].rows);
  }
}

}  // namespace
}  // namespace bolide::convert
