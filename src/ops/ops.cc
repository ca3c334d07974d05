#include "ops/ops.h"

namespace bolide::ops {

std::string_view name(OpKind kind) {
  constexpr std::array<std::string_view, 26> kNames = {
      "embed",          "matvec_q",         "matvec_f",    "quantize",   "engram_gate",   "tap",       "hc_mix",
      "hc_enter",       "q_norm_quantize",  "query_rope",  "window_row", "compress",      "index_key", "index_query",
      "index_score",    "candidate_blocks", "select_rows", "attention",  "attention_out", "hc_expand", "route",
      "expert_gate_up", "expert_down",      "final_norm",  "logits",     "top_candidates"};
  static_assert(kNames.size() == static_cast<std::size_t>(OpKind::kTopCandidates) + 1);
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name(Buffer buffer) {
  constexpr std::array<std::string_view, 29> kNames = {
      "-",        "tokens",          "streams",       "taps",
      "mix",      "input",           "engram rows",   "engram projected",
      "low rank", "query",           "window input",  "latent",
      "gate",     "index key input", "index query",   "index weights",
      "scores",   "blocks",          "selected",      "attended",
      "groups",   "output",          "router logits", "experts",
      "hidden",   "final",           "logits",        "top",
      "session"};
  static_assert(kNames.size() == static_cast<std::size_t>(Buffer::kSession) + 1);
  return kNames[static_cast<std::size_t>(buffer)];
}

std::string_view name(Weight weight) {
  constexpr std::array<std::string_view, 28> kNames = {"-",
                                                       "embed",
                                                       "engram.wkv",
                                                       "engram.q_weight, k_weight",
                                                       "hc_attn",
                                                       "attn_norm",
                                                       "attn.wq_a",
                                                       "attn.q_norm",
                                                       "attn.wq_b",
                                                       "attn.wkv",
                                                       "attn.kv_norm",
                                                       "compressor.wkv",
                                                       "compressor.wgate",
                                                       "compressor.norm",
                                                       "indexer.wk",
                                                       "indexer.k_norm",
                                                       "indexer.wq_b",
                                                       "indexer.weights_proj",
                                                       "attn_sink",
                                                       "attn.wo_a",
                                                       "attn.wo_b",
                                                       "hc_ffn",
                                                       "ffn_norm",
                                                       "ffn.gate",
                                                       "ffn.gate.bias",
                                                       "ffn.experts, shared_experts",
                                                       "norm",
                                                       "head"};
  static_assert(kNames.size() == static_cast<std::size_t>(Weight::kHead) + 1);
  return kNames[static_cast<std::size_t>(weight)];
}

}  // namespace bolide::ops
