#include "convert/synth.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "convert/checkpoint_to_packed.h"
#include "convert/file_names.h"
#include "convert/synth_checkpoint.h"
#include "convert/synth_numbers.h"
#include "engram/table_sources.h"
#include "formats/engram_file.h"
#include "model/engram_shape.h"
#include "model/oracle/oracle_arithmetic.h"
#include "model/packed_weights.h"
#include "support/nano.h"
#include "support/temp_folder.h"
#include "text/tokenizer.h"

namespace bolide::convert {
namespace {

using formats::WeightType;
using testing::ElementsAre;
using testing::HasSubstr;

// The smallest models that there are.
SynthOptions small(WeightType experts_type = WeightType::kMXFP4) {
  return {.shape = "ci", .experts = 6, .draft_experts = 3, .engram_rows = 1000, .experts_type = experts_type};
}

SynthPlan plan_of(const SynthOptions& options) {
  Result<SynthPlan> plan = plan_synth(options);
  check(plan.ok(), "the options are good");
  return *std::move(plan);
}

std::string refusal(const SynthOptions& options) {
  const Result<SynthPlan> plan = plan_synth(options);
  return plan ? "accepted" : plan.error().message;
}

// The contents of all tensors in one hash.
std::string contents(const formats::PackedFile& file) {
  Sha256 hash;
  for (const formats::PackedTensor& tensor : file.tensors()) hash.update(tensor.digest);
  return to_hex(hash.finish());
}

std::string contents_of(const SynthOptions& options, u32 n_threads) {
  const Result<formats::PackedFile> file = synth_to_memory(plan_of(options), {.n_threads = n_threads});
  return file ? contents(*file) : file.error().message;
}

// The root mean square of W x for an x of random signs: about 1, whatever the type.
double gain(const model::Config& config, const model::Matrix& w) {
  std::vector<u8> bits(w.k);
  fill_random(7, 0, 0, std::as_writable_bytes(std::span(bits)));
  std::vector<float> x(w.k);
  for (u32 i = 0; i < w.k; ++i) x[i] = bits[i] % 2 == 0 ? 1.0f : -1.0f;
  std::vector<float> y(w.rows);
  model::OracleArithmetic(config).linear(w, 0, x, y);
  double sum = 0;
  for (const float value : y) sum += double{value} * value;
  return std::sqrt(sum / w.rows);
}

double rms(const model::FloatMatrix& matrix) {
  double sum = 0;
  for (const float value : matrix.values) sum += double{value} * value;
  return std::sqrt(sum / static_cast<double>(matrix.values.size()));
}

TEST(Synth, BitsAreThoseOfTheGoldenWithOneThreadAndWithTwo) {
  for (const char* name : {"ci-mxfp4", "ci-q4_k"}) {
    const SynthOptions options{.experts_type = std::string(name) == "ci-q4_k" ? WeightType::kQ4_K : WeightType::kMXFP4};
    const auto golden = test::read_json(std::string(BOLIDE_SOURCE_DIR "/tests/goldens/synth/contents.json"));
    const std::string wanted(golden.as_object().at(name).as_string());
    EXPECT_EQ(contents_of(options, 1), wanted) << name;
    EXPECT_EQ(contents_of(options, 2), wanted) << name;
  }
}

TEST(Synth, AnotherSeedGivesOtherBits) {
  SynthOptions other = small();
  other.seed = 2;
  EXPECT_NE(contents_of(other, 2), contents_of(small(), 2));
}

TEST(Synth, ExpertsOfALargerModelBeginWithThoseOfASmallerOne) {
  SynthOptions larger = small();
  larger.experts = 7;
  const auto few = synth_to_memory(plan_of(small()), {});
  const auto more = synth_to_memory(plan_of(larger), {});
  ASSERT_TRUE(few && more);
  const formats::PackedTensor* a = few->find("layers.7.ffn.experts.w2");
  const formats::PackedTensor* b = more->find("layers.7.ffn.experts.w2");
  EXPECT_TRUE(std::ranges::equal(a->codes(5), b->codes(5)));
  EXPECT_TRUE(std::ranges::equal(a->scales(5), b->scales(5)));
  EXPECT_FALSE(std::ranges::equal(b->codes(5), b->codes(6)));
}

TEST(Synth, FileHasTheBytesOfTheMemoryAndItsRowsThoseThatAreMadeOnReading) {
  const test::TempFolder folder;
  const SynthPlan plan = plan_of(small(WeightType::kQ4_K));
  const std::string path = folder.file("small.bolide");
  const auto file = synth_to_files(plan, path, {.n_threads = 2});
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE(file->verify_contents());
  const auto memory = synth_to_memory(plan, {.n_threads = 1});
  ASSERT_TRUE(memory) << memory.error().message;
  EXPECT_TRUE(std::ranges::equal(file->bytes(), memory->bytes()));

  const auto rows_file = formats::open_engram_file(engram_path(path));
  ASSERT_TRUE(rows_file) << rows_file.error().message;
  const auto tables = engram::table_sources(*rows_file, model::engram_shape(plan.config));
  ASSERT_TRUE(tables);
  const auto stored = engram::FileRows::open(*tables, plan.config.engram.head_dim);
  ASSERT_TRUE(stored);
  const auto made = synth_rows(plan);
  const std::vector<u64> numbers = {0, 1, 500, plan.config.engram.rows[1] - 1};
  std::vector<std::byte> a(numbers.size() * made->row_bytes());
  std::vector<std::byte> b(a.size());
  ASSERT_TRUE((*stored)->read(1, numbers, a));
  ASSERT_TRUE(made->read(1, numbers, b));
  EXPECT_EQ(a, b);
  std::vector<float> values(numbers.size() * made->head_dim());
  EXPECT_TRUE(engram::read_values(*made, 1, numbers, values));
  EXPECT_FALSE(made->read(1, std::vector<u64>{plan.config.engram.rows[1]}, std::span(b).first(made->row_bytes())));
}

TEST(Synth, CheckpointIsOneThatConvertsAndItsRowsAreThoseOfThePackedForm) {
  const test::TempFolder folder;
  const SynthPlan plan = plan_of(small());
  const std::string path = folder.file("checkpoint");
  const Status made = synth_to_checkpoint(plan, path, {.n_threads = 2});
  ASSERT_TRUE(made) << made.error().message;
  const auto opened = open_checkpoint_folder(path);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->documents.tokenizer, plan.documents.tokenizer);
  EXPECT_EQ(opened->skipped.count, 0U);
  const auto packed = convert_to_memory(*opened, {});
  ASSERT_TRUE(packed) << packed.error().message;
  const auto weights = model::load_packed_weights(plan.config, packed->weights);
  EXPECT_TRUE(weights) << weights.error().message;
  EXPECT_NEAR(gain(plan.config, weights->layers[0].attention.wkv), 1, 0.45);
  EXPECT_NEAR(gain(plan.config, weights->layers[0].mixture.experts[0].w1), 1, 0.45);

  const auto stored = engram::FileRows::open(opened->engram_tables, plan.config.engram.head_dim);
  ASSERT_TRUE(stored);
  const auto rows = synth_rows(plan);
  const std::vector<u64> numbers = {0, 77, plan.config.engram.rows[0] - 1};
  std::vector<std::byte> a(numbers.size() * rows->row_bytes());
  std::vector<std::byte> b(a.size());
  ASSERT_TRUE((*stored)->read(0, numbers, a));
  ASSERT_TRUE(rows->read(0, numbers, b));
  EXPECT_EQ(a, b);

  // Nothing is written over, and Q4_K is no format of a checkpoint.
  EXPECT_THAT(synth_to_checkpoint(plan, path, {}).error().message, HasSubstr("not an empty folder"));
  EXPECT_THAT(synth_to_checkpoint(plan_of(small(WeightType::kQ4_K)), folder.file("q4_k"), {}).error().message,
              HasSubstr("MXFP4"));
}

TEST(Synth, TokenizerWritesPromptsAndIsCompressedToThreeQuarters) {
  const SynthPlan plan = plan_of(small());
  const auto tokenizer = text::Tokenizer::from_json(plan.documents.tokenizer, "synthetic");
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
  EXPECT_EQ(tokenizer->vocab_size(), 4096U);
  EXPECT_EQ(tokenizer->find_added_token("<｜System｜>"), plan.config.draft.noise_token_id);
  EXPECT_TRUE(tokenizer->find_added_token("<｜User｜>") && tokenizer->find_added_token("</think>"));
  const std::vector<u32> ids = tokenizer->encode("Grüße, w12!", text::AddedTokens::kMatch);
  EXPECT_EQ(ids.size(), 13U);  // one a byte
  EXPECT_EQ(tokenizer->decode(ids), "Grüße, w12!");
  EXPECT_NEAR(plan.engram.compressed_vocab_size, 0.75 * 4096, 100);
}

TEST(Synth, RolesFollowTheBigModelsPattern) {
  const model::Config flash = plan_of({.shape = "v4.1-flash"}).config;
  EXPECT_THAT(flash.kv_source_layers, ElementsAre(2, 8, 14, 20));
  EXPECT_THAT(flash.index_source_layers, ElementsAre(2, 8, 14, 20, 24, 28, 32, 36));
  EXPECT_THAT(flash.engram.layer_ids, ElementsAre(1, 14));
  EXPECT_EQ(flash.draft.n_stages, 0U);
  EXPECT_NEAR(static_cast<double>(flash.engram.rows[0]), 100'000, 2'000);
  const model::Config sixteen =
      plan_of({.shape = "v4.1-flash", .layers = 16, .experts = 36, .draft_experts = 4}).config;
  EXPECT_THAT(sixteen.kv_source_layers, ElementsAre(2, 8));
  EXPECT_THAT(sixteen.index_source_layers, ElementsAre(2, 8, 12));
  EXPECT_THAT(sixteen.engram.layer_ids, ElementsAre(1, 7));
  EXPECT_THAT(sixteen.draft.target_layer_ids, ElementsAre(13, 14, 15));
  const model::Config ci = plan_of({.shape = "ci"}).config;
  EXPECT_THAT(ci.kv_source_layers, ElementsAre(2, 4));
  EXPECT_THAT(ci.index_source_layers, ElementsAre(2, 4, 6));
  EXPECT_THAT(ci.engram.layer_ids, ElementsAre(1, 3));
  EXPECT_THAT(ci.draft.target_layer_ids, ElementsAre(5, 6, 7));
}

TEST(Synth, EngramTablesHaveAboutTheRowsThatAreAskedFor) {
  const SynthPlan plan = plan_of({.shape = "v4.1-flash", .engram_rows = 10'000'000});
  EXPECT_NEAR(static_cast<double>(plan.config.engram.rows[0]), 1e7, 1e5);
  EXPECT_NEAR(static_cast<double>(plan.config.engram.rows[1]), 1e7, 1e5);
}

TEST(Synth, OptionsThatMakeNoModelAreNamed) {
  EXPECT_THAT(refusal({.shape = "ci2"}), HasSubstr("--shape is ci2"));
  EXPECT_THAT(refusal({.layers = 7}), HasSubstr("--layers is 7"));
  EXPECT_THAT(refusal({.experts = 5}), HasSubstr("--experts is 5"));
  EXPECT_THAT(refusal({.draft_experts = 2}), HasSubstr("--draft-experts is 2"));
  EXPECT_THAT(refusal({.engram_rows = 1}), HasSubstr("--engram-rows is 1"));
  EXPECT_THAT(refusal({.experts_type = WeightType::kQ8_0}), HasSubstr("--experts-type is Q8_0"));
}

TEST(Synth, WeightsKeepTheMagnitudeOfWhatTheyMultiply) {
  for (const WeightType experts_type : {WeightType::kMXFP4, WeightType::kQ4_K}) {
    const Result<model::Model> model = synth_model_in_memory(small(experts_type));
    ASSERT_TRUE(model) << model.error().message;
    const model::BlockWeights& layer = model->weights.layers[2];
    EXPECT_NEAR(gain(model->config, layer.attention.wq_a), 1, 0.1);
    EXPECT_NEAR(gain(model->config, layer.attention.wo_a), 1, 0.1);
    EXPECT_NEAR(gain(model->config, model->weights.head), 1, 0.1);
    // A scale of MXFP4 is a power of two, so it comes within a factor of the root of two.
    EXPECT_NEAR(gain(model->config, layer.mixture.experts[5].w1), 1, 0.45);
    EXPECT_NEAR(gain(model->config, layer.mixture.experts[5].w2), 1, 0.45);
    EXPECT_NEAR(rms(layer.mixture.gate) * std::sqrt(1536.0), 1, 0.05);
    EXPECT_NEAR(rms(layer.attention_mix.fn) * std::sqrt(4 * 1536.0), 1, 0.05);
    for (const float value : layer.attention_norm) EXPECT_NEAR(value, 1, 0.25);
  }
}

}  // namespace
}  // namespace bolide::convert
