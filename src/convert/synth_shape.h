// The configurations of synthetic models (design: interfaces.md, Tests and fixtures; docs/decisions/0014).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "formats/weight_type.h"

namespace bolide::convert {

// What a synthetic model is made from: the same options give the same bits, everywhere.
struct SynthOptions {
  std::string shape = "ci";  // "ci", "ci-wide" or "v4.1-flash"
  u64 seed = 1;
  std::optional<u32> layers;                                       // at least 8
  std::optional<u32> experts;                                      // of each layer
  std::optional<u32> draft_experts;                                // of each draft stage; 0: no drafter
  std::optional<u64> engram_rows;                                  // of each Engram table, about
  formats::WeightType experts_type = formats::WeightType::kMXFP4;  // or Q4_K
};

// The numbers in which shapes differ; the others are the big model's.
struct SynthShape {
  u32 vocab_size;
  u32 dim;
  u32 n_layers;
  u32 n_heads;
  u32 q_lora_rank;
  u32 o_groups;
  u32 o_lora_rank;
  u32 index_n_heads;
  u32 index_topk;
  u32 candidate_topk_blocks;
  u32 n_experts;
  u32 moe_inter_dim;
  u32 engram_n_heads;
  u32 engram_head_dim;
  u64 prime_search_start;
  u32 draft_experts;
  u32 markov_rank;
};

// Fails, naming the option, where there is no such model.
Result<SynthShape> synth_shape(const SynthOptions& options);

// What the configuration names of the tokenizer and the Engram tables that were made for it.
struct SynthTokens {
  u32 noise_token_id;
  u32 image_token_id;
  u32 compressed_vocab_size;
};

// The layers that run an Engram: 1 and min(14, D - 1).
std::vector<u32> synth_engram_layers(const SynthShape& shape);

// config.json with the flat names of the official inference/config.json. Layer roles follow the big model's pattern.
std::string synth_config_json(const SynthShape& shape, const SynthTokens& tokens, const std::vector<u64>& engram_rows);

}  // namespace bolide::convert
