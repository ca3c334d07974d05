// The model's configuration and every role derived from it. Rules are written over Config, never over one model's
// constants. Source: spec model.md 1; both key forms of config.json are read (flat official inference/config.json,
// nested Hugging Face).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace bolide::model {

// No layer of this kind.
constexpr u32 kNone = 0xffffffff;

// What a layer does beside its window attention and its mixture (spec model.md 1, layer roles).
struct LayerRole {
  u32 ratio = 0;                    // compression ratio: 0 (window only), 1 or 2
  u32 kv_owner = kNone;             // the layer whose compressed rows and index keys this layer reads
  u32 index_owner = kNone;          // the layer whose selection this layer attends to
  bool owns_kv = false;             // it compresses its input and computes index keys
  bool owns_index = false;          // it runs an indexer of its own
  bool makes_candidates = false;    // its scores choose the candidate blocks
  bool applies_candidates = false;  // its selection is limited to the candidate blocks
  u32 engram = kNone;               // index of the Engram table that runs before it
  u32 tap = kNone;                  // index of the draft tap taken as it is entered
};

struct EngramConfig {
  std::vector<u32> layer_ids;
  std::vector<u64> rows;  // per Engram layer
  u64 prime_search_start = 0;
  u32 max_ngram = 0;
  u32 n_heads = 0;
  u32 head_dim = 0;
  u32 pad_id = 0;
  u32 compressed_vocab_size = 0;

  u32 columns() const { return (max_ngram - 1) * n_heads; }  // rows looked up per token and table
  u32 width() const { return columns() * head_dim; }         // values of one token's rows
};

struct DraftConfig {
  u32 n_stages = 0;
  u32 block_size = 0;
  u32 noise_token_id = 0;
  u32 markov_rank = 0;
  u32 n_routed_experts = 0;
  u32 n_activated_experts = 0;
  std::vector<u32> target_layer_ids;
};

struct Config {
  u32 vocab_size = 0;
  u32 dim = 0;
  u32 n_layers = 0;
  u32 n_heads = 0;
  u32 head_dim = 0;
  u32 rope_head_dim = 0;
  u32 q_lora_rank = 0;
  u32 o_groups = 0;
  u32 o_lora_rank = 0;
  u32 window_size = 0;
  float norm_eps = 0;
  u64 max_position = 0;

  double rope_theta = 0;           // layers of ratio 0
  double compress_rope_theta = 0;  // layers of ratio > 0, with YaRN
  double rope_factor = 1;
  double beta_fast = 0;
  double beta_slow = 0;
  u64 original_length = 0;  // 0: no YaRN

  std::vector<u32> compress_ratios;  // n_layers entries
  std::vector<u32> kv_source_layers;
  std::vector<u32> index_source_layers;
  u32 candidate_source_layer = kNone;
  u32 candidate_topk_blocks = 0;
  u32 candidate_block_size = 0;
  u32 index_n_heads = 0;
  u32 index_head_dim = 0;
  u32 index_topk = 0;

  u32 n_routed_experts = 0;
  u32 n_activated_experts = 0;
  u32 moe_inter_dim = 0;
  float route_scale = 0;
  float swiglu_limit = 0;

  u32 hc_mult = 0;
  u32 hc_sinkhorn_iters = 0;
  float hc_eps = 0;

  EngramConfig engram;
  DraftConfig draft;

  bool has_vision = false;
  u32 image_token_id = kNone;
  u32 bos_token_id = 0;
  u32 eos_token_id = 1;

  std::vector<LayerRole> roles;  // derived, n_layers entries

  // D of interfaces.md: the last KV owner. Prefill runs the layers from here on only on a suffix.
  u32 decoder_start() const { return kv_source_layers.back(); }
  // Positions that must be fed for complete logits of the last `n` positions (interfaces.md).
  u64 reach(u64 n) const { return n + u64{window_size - 1} * (n_layers - decoder_start()); }
  u32 group_width() const { return n_heads / o_groups * head_dim; }  // input of one output group
  u32 mix_width() const { return (2 + hc_mult) * hc_mult; }          // rows of mHC fn
  u32 streams_width() const { return hc_mult * dim; }
  u32 tap_width() const { return static_cast<u32>(draft.target_layer_ids.size()) * dim; }
};

// Parses and validates config.json. `what` names the file in errors; every error names the field.
Result<Config> parse_config(std::string_view json, std::string_view what);

}  // namespace bolide::model
