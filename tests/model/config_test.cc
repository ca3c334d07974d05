#include "model/config.h"

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/nano.h"

namespace bolide::model {
namespace {

using boost::json::object;
using boost::json::value;
using testing::ElementsAre;
using testing::HasSubstr;

object nano_json() {
  return test::read_json(test::kNanoFolder + "/config.json").as_object();
}
object big_json() {
  return test::read_json(BOLIDE_SOURCE_DIR "/tests/model/data/v4.1-flash-config.json").as_object();
}

Result<Config> parse(const object& json) {
  const std::string text = boost::json::serialize(json);
  return parse_config(text, "config.json");
}

// The error of nano's configuration with one field changed.
std::string error_with(const char* field, const value& changed) {
  object json = nano_json();
  json[field] = changed;
  const Result<Config> config = parse(json);
  return config.ok() ? "" : config.error().message;
}

TEST(Config, ReadsTheFlatFormOfNano) {
  const Result<Config> config = parse(nano_json());
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->dim, 256u);
  EXPECT_EQ(config->engram.width(), 3u * 4 * 64);
  EXPECT_EQ(config->decoder_start(), 4u);
  EXPECT_EQ(config->reach(4), 512u);  // interfaces.md: 512 in nano
  EXPECT_FALSE(config->has_vision);
}

TEST(Config, ReadsTheNestedFormOfTheBigModelAndDerivesItsRoles) {
  const Result<Config> config = parse(big_json());
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->dim, 5120u);
  EXPECT_EQ(config->original_length, 65536u);
  EXPECT_EQ(config->reach(4), 2544u);  // interfaces.md
  EXPECT_TRUE(config->has_vision);
  EXPECT_EQ(config->draft.n_stages, 3u);
  // The table of layer roles of spec model.md 1.
  for (u32 layer = 0; layer < 40; ++layer) {
    const LayerRole& role = config->roles[layer];
    SCOPED_TRACE(layer);
    EXPECT_EQ(role.ratio, layer < 2 ? 0u : layer < 20 ? 2u : 1u);
    const u32 owner = layer < 2 ? kNone : layer < 8 ? 2 : layer < 14 ? 8 : layer < 20 ? 14 : 20;
    EXPECT_EQ(role.kv_owner, owner);
    EXPECT_EQ(role.index_owner, layer < 20 ? owner : layer / 4 * 4);
    EXPECT_EQ(role.owns_kv, layer == owner);
    EXPECT_EQ(role.owns_index, layer == owner || (layer > 20 && layer % 4 == 0));
    EXPECT_EQ(role.makes_candidates, layer == 20);
    EXPECT_EQ(role.applies_candidates, layer > 20 && layer % 4 == 0);
    EXPECT_EQ(role.engram, layer == 1 ? 0u : layer == 14 ? 1u : kNone);
    EXPECT_EQ(role.tap, layer >= 37 ? layer - 37 : kNone);
  }
}

TEST(Config, EveryNeededFieldThatIsMissingIsNamed) {
  for (const char* field : {"vocab_size",
                            "dim",
                            "moe_inter_dim",
                            "n_layers",
                            "n_heads",
                            "n_routed_experts",
                            "n_activated_experts",
                            "route_scale",
                            "swiglu_limit",
                            "q_lora_rank",
                            "head_dim",
                            "rope_head_dim",
                            "norm_eps",
                            "o_groups",
                            "o_lora_rank",
                            "window_size",
                            "compress_ratios",
                            "kv_source_layers",
                            "index_source_layers",
                            "original_seq_len",
                            "rope_theta",
                            "rope_factor",
                            "beta_fast",
                            "beta_slow",
                            "compress_rope_theta",
                            "index_n_heads",
                            "index_head_dim",
                            "index_topk",
                            "candidate_source_layer",
                            "candidate_topk_blocks",
                            "candidate_block_size",
                            "hc_mult",
                            "hc_sinkhorn_iters",
                            "hc_eps",
                            "engram_layer_ids",
                            "engram_max_ngram_size",
                            "engram_n_heads",
                            "engram_head_dim",
                            "engram_pad_id",
                            "engram_num_embeddings",
                            "engram_compressed_vocab_size",
                            "dspark_block_size",
                            "dspark_noise_token_id",
                            "dspark_target_layer_ids",
                            "dspark_markov_rank",
                            "dspark_n_routed_experts",
                            "dspark_n_activated_experts"}) {
    object json = nano_json();
    ASSERT_EQ(json.erase(field), 1u) << field;
    const Result<Config> config = parse(json);
    ASSERT_FALSE(config.ok()) << field;
    EXPECT_THAT(config.error().message, HasSubstr(std::string("field ") + field)) << field;
  }
}

TEST(Config, WrongKindsAndAbsurdValuesAreRefusedByName) {
  EXPECT_THAT(error_with("dim", "256"), HasSubstr("field dim"));
  EXPECT_THAT(error_with("dim", nullptr), HasSubstr("field dim"));
  EXPECT_THAT(error_with("dim", -256), HasSubstr("field dim"));
  EXPECT_THAT(error_with("dim", 1e300), HasSubstr("field dim"));
  EXPECT_THAT(error_with("dim", 9223372036854775807), HasSubstr("field dim"));
  EXPECT_THAT(error_with("dim", 256.5), HasSubstr("not a whole number"));
  EXPECT_THAT(error_with("dim", 250), HasSubstr("multiple of 32"));
  EXPECT_THAT(error_with("n_layers", 0), HasSubstr("field n_layers"));
  EXPECT_THAT(error_with("n_layers", 4000000000), HasSubstr("field n_layers"));
  EXPECT_THAT(error_with("compress_ratios", boost::json::array{0, 0, 3}), HasSubstr("field compress_ratios"));
  EXPECT_THAT(error_with("compress_ratios", boost::json::array{0, 0}), HasSubstr("2 entries"));
  EXPECT_THAT(error_with("engram_num_embeddings", boost::json::array{1}), HasSubstr("field engram_num_embeddings"));
}

// Arithmetic A1 version 1 (arithmetic.md): other values are refused, naming the field.
TEST(Config, WhatVersion1FixesIsFixed) {
  EXPECT_THAT(error_with("rope_head_dim", 32), HasSubstr("field rope_head_dim"));
  EXPECT_THAT(error_with("head_dim", 256), HasSubstr("field head_dim"));
  EXPECT_THAT(error_with("index_head_dim", 64), HasSubstr("field index_head_dim"));
  EXPECT_THAT(error_with("hc_mult", 2), HasSubstr("field hc_mult"));
  EXPECT_THAT(error_with("score_func", "softmax"), HasSubstr("field score_func"));
  EXPECT_THAT(error_with("expert_dtype", "fp8"), HasSubstr("field expert_dtype"));
  EXPECT_THAT(error_with("norm_topk_prob", false), HasSubstr("field norm_topk_prob"));
}

TEST(Config, RolesThatDoNotFitTogetherAreRefused) {
  EXPECT_THAT(error_with("kv_source_layers", boost::json::array{4}), HasSubstr("compress_ratios"));
  EXPECT_THAT(error_with("kv_source_layers", boost::json::array{2, 9}), HasSubstr("names layer 9"));
  EXPECT_THAT(error_with("kv_source_layers", boost::json::array{4, 2}), HasSubstr("must ascend"));
  EXPECT_THAT(error_with("index_source_layers", boost::json::array{2, 6}), HasSubstr("index_source_layers"));
  EXPECT_THAT(error_with("candidate_source_layer", 2), HasSubstr("candidate_source_layer"));
  EXPECT_THAT(error_with("n_activated_experts", 17), HasSubstr("n_activated_experts"));
  EXPECT_THAT(error_with("dspark_noise_token_id", 8192), HasSubstr("dspark_noise_token_id"));
  EXPECT_THAT(error_with("o_groups", 3), HasSubstr("o_groups"));
}

TEST(Config, AModelWithoutADrafterNeedsNoDrafterFields) {
  object json = nano_json();
  json["n_mtp_layers"] = 0;
  for (const char* field : {"dspark_block_size", "dspark_noise_token_id", "dspark_target_layer_ids",
                            "dspark_markov_rank", "dspark_n_routed_experts", "dspark_n_activated_experts"}) {
    json.erase(field);
  }
  json["compress_ratios"] = boost::json::array{0, 0, 2, 2, 1, 1, 1, 1};
  const Result<Config> config = parse(json);
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->tap_width(), 0u);
}

TEST(Config, WhatIsNoJsonObjectIsRefused) {
  EXPECT_FALSE(parse_config("", "config.json").ok());
  EXPECT_FALSE(parse_config("[]", "config.json").ok());
  EXPECT_FALSE(parse_config("{\"dim\": ", "config.json").ok());
  EXPECT_FALSE(parse_config(std::string(100000, '['), "config.json").ok());
}

}  // namespace
}  // namespace bolide::model
