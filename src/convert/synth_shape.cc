#include "convert/synth_shape.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>
#include <fmt/format.h>

namespace bolide::convert {
namespace {

using boost::json::object;

constexpr u32 kUsedExperts = 6;
constexpr u32 kUsedDraftExperts = 3;
constexpr u32 kDraftStages = 3;
constexpr u32 kMaxNgram = 4;

constexpr SynthShape kCi = {.vocab_size = 4096,
                            .dim = 1536,
                            .n_layers = 8,
                            .n_heads = 8,
                            .q_lora_rank = 512,
                            .o_groups = 2,
                            .o_lora_rank = 256,
                            .index_n_heads = 8,
                            .index_topk = 64,
                            .candidate_topk_blocks = 16,
                            .n_experts = 24,
                            .moe_inter_dim = 768,
                            .engram_n_heads = 4,
                            .engram_head_dim = 64,
                            .prime_search_start = 2000,
                            .draft_experts = 8,
                            .markov_rank = 64};

constexpr SynthShape kFlash = {.vocab_size = 129280,
                               .dim = 5120,
                               .n_layers = 40,
                               .n_heads = 64,
                               .q_lora_rank = 1280,
                               .o_groups = 8,
                               .o_lora_rank = 1024,
                               .index_n_heads = 32,
                               .index_topk = 512,
                               .candidate_topk_blocks = 2048,
                               .n_experts = 384,
                               .moe_inter_dim = 2304,
                               .engram_n_heads = 8,
                               .engram_head_dim = 256,
                               .prime_search_start = 4096,
                               .draft_experts = 0,
                               .markov_rank = 256};

// The dim makes the mHC mix wider than 8,192, so that its 64 segments run (arithmetic.md rule 3).
constexpr SynthShape ci_wide() {
  SynthShape shape = kCi;
  shape.dim = 2304;
  return shape;
}

std::optional<SynthShape> named_shape(std::string_view name) {
  if (name == "ci") return kCi;
  if (name == "ci-wide") return ci_wide();
  if (name == "v4.1-flash") return kFlash;
  return std::nullopt;
}

// Fails unless `value` is from `low` to `high`.
Status in_range(std::string_view option, u64 value, u64 low, u64 high) {
  if (value >= low && value <= high) return {};
  return Error{fmt::format("{} is {}, but a synthetic model has {} to {}", option, value, low, high)};
}

Status set(std::string_view option, std::optional<u32> wanted, u32 low, u32 high, u32& value) {
  if (!wanted) return {};
  value = *wanted;
  return in_range(option, value, low, high);
}

// The roles of interfaces.md; they all follow from D, where the decoder starts.
struct Layers {
  u32 n;
  u32 decoder;  // D

  std::vector<u32> ratios() const {
    std::vector<u32> list(n, 1);
    std::fill(list.begin(), list.begin() + decoder, 2);
    list[0] = list[1] = 0;
    return list;
  }
  std::vector<u32> kv_owners() const {
    std::vector<u32> list;
    for (const u32 layer : {2U, 8U, 14U}) {
      if (layer < decoder) list.push_back(layer);
    }
    list.push_back(decoder);
    return list;
  }
  std::vector<u32> index_owners() const {
    std::vector<u32> list = kv_owners();
    const u32 step = n < 16 ? 2 : 4;
    for (u32 layer = decoder + step; layer < n; layer += step) list.push_back(layer);
    return list;
  }
};

Layers layers_of(const SynthShape& shape) {
  return {.n = shape.n_layers, .decoder = shape.n_layers / 2};
}

void add_rope(object& config) {
  config["original_seq_len"] = 65536;
  config["rope_theta"] = 10000;
  config["rope_factor"] = 16;
  config["beta_fast"] = 32;
  config["beta_slow"] = 1;
  config["compress_rope_theta"] = 160000;
  config["max_position_embeddings"] = 1048576;
}

void add_attention(object& config, const SynthShape& shape) {
  const Layers layers = layers_of(shape);
  config["n_heads"] = shape.n_heads;
  config["q_lora_rank"] = shape.q_lora_rank;
  config["head_dim"] = 512;
  config["rope_head_dim"] = 64;
  config["o_groups"] = shape.o_groups;
  config["o_lora_rank"] = shape.o_lora_rank;
  config["window_size"] = 128;
  config["compress_ratios"] = boost::json::value_from(layers.ratios());
  config["kv_source_layers"] = boost::json::value_from(layers.kv_owners());
  config["index_source_layers"] = boost::json::value_from(layers.index_owners());
  config["index_n_heads"] = shape.index_n_heads;
  config["index_head_dim"] = 128;
  config["index_topk"] = shape.index_topk;
  config["candidate_source_layer"] = layers.decoder;
  config["candidate_topk_blocks"] = shape.candidate_topk_blocks;
  config["candidate_block_size"] = 8;
}

void add_mixture(object& config, const SynthShape& shape) {
  config["moe_inter_dim"] = shape.moe_inter_dim;
  config["n_routed_experts"] = shape.n_experts;
  config["n_shared_experts"] = 1;
  config["n_activated_experts"] = kUsedExperts;
  config["score_func"] = "sqrtsoftplus";
  config["norm_topk_prob"] = true;
  config["route_scale"] = 1.5;
  config["swiglu_limit"] = 10.0;
}

void add_engram(object& config, const SynthShape& shape, const SynthTokens& tokens, const std::vector<u64>& rows) {
  config["engram_layer_ids"] = boost::json::value_from(synth_engram_layers(shape));
  config["engram_vocab_size"] = shape.prime_search_start;
  config["engram_max_ngram_size"] = kMaxNgram;
  config["engram_n_heads"] = shape.engram_n_heads;
  config["engram_head_dim"] = shape.engram_head_dim;
  config["engram_pad_id"] = 2;
  config["engram_num_embeddings"] = boost::json::value_from(rows);
  config["engram_compressed_vocab_size"] = tokens.compressed_vocab_size;
}

void add_draft(object& config, const SynthShape& shape, const SynthTokens& tokens) {
  config["n_mtp_layers"] = shape.draft_experts > 0 ? kDraftStages : 0;
  if (shape.draft_experts == 0) return;
  const u32 n = shape.n_layers;
  config["dspark_block_size"] = 5;
  config["dspark_noise_token_id"] = tokens.noise_token_id;
  config["dspark_target_layer_ids"] = {n - 3, n - 2, n - 1};
  config["dspark_markov_rank"] = shape.markov_rank;
  config["dspark_n_routed_experts"] = shape.draft_experts;
  config["dspark_n_activated_experts"] = kUsedDraftExperts;
}

}  // namespace

Result<SynthShape> synth_shape(const SynthOptions& options) {
  std::optional<SynthShape> shape = named_shape(options.shape);
  if (!shape) return Error{fmt::format("--shape is {}; there are ci, ci-wide and v4.1-flash", options.shape)};
  if (Status good = set("--layers", options.layers, 8, 1024, shape->n_layers); !good) return good.error();
  if (Status good = set("--experts", options.experts, kUsedExperts, 4096, shape->n_experts); !good) return good.error();
  if (options.draft_experts != 0U) {
    const Status good = set("--draft-experts", options.draft_experts, kUsedDraftExperts, 4096, shape->draft_experts);
    if (!good) return good.error();
  } else {
    shape->draft_experts = 0;
  }
  if (options.engram_rows) {
    const u64 columns = u64{kMaxNgram - 1} * shape->engram_n_heads;
    if (Status good = in_range("--engram-rows", *options.engram_rows, 2 * columns, u64{1} << 36); !good) {
      return good.error();
    }
    shape->prime_search_start = *options.engram_rows / columns;
  }
  return *shape;
}

std::vector<u32> synth_engram_layers(const SynthShape& shape) {
  return {1, std::min(14U, layers_of(shape).decoder - 1)};
}

std::string synth_config_json(const SynthShape& shape, const SynthTokens& tokens, const std::vector<u64>& engram_rows) {
  object config;
  config["vocab_size"] = shape.vocab_size;
  config["dim"] = shape.dim;
  config["n_layers"] = shape.n_layers;
  config["norm_eps"] = 1e-20;
  add_rope(config);
  add_attention(config, shape);
  add_mixture(config, shape);
  config["hc_mult"] = 4;
  config["hc_sinkhorn_iters"] = 20;
  config["hc_eps"] = 1e-6;
  add_engram(config, shape, tokens, engram_rows);
  add_draft(config, shape, tokens);
  config["dtype"] = "fp8";
  config["expert_dtype"] = "fp4";
  config["vision_n_layers"] = 0;
  config["bos_token_id"] = 0;
  config["eos_token_id"] = 1;
  config["image_token_id"] = tokens.image_token_id;
  return boost::json::serialize(config);
}

}  // namespace bolide::convert
