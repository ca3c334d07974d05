#include "model/tensors.h"

#include <algorithm>
#include <fmt/format.h>

namespace bolide::model {
namespace {

using formats::Form;
using formats::WeightType;

// Adds specs under one name prefix.
class SpecList {
 public:
  SpecList(std::vector<TensorSpec>& specs, std::string prefix, bool draft)
      : specs_(specs), prefix_(std::move(prefix)), draft_(draft) {}

  // A matrix that the checkpoint holds as FP8: Q8_0.
  void fp8(std::string_view name, TensorClass c, u64 rows, u64 k) {
    add(name, c, CheckpointFormat::kFp8, {WeightType::kQ8_0, Form::kTiled, 1, rows, k}, 2);
  }
  // A float matrix that a rule-3 product reads.
  void bf16(std::string_view name, TensorClass c, u64 rows, u64 k) {
    add(name, c, CheckpointFormat::kBf16, {WeightType::kBF16, Form::kTiled, 1, rows, k}, 2);
  }
  void f32(std::string_view name, TensorClass c, u64 rows, u64 k) {
    add(name, c, CheckpointFormat::kF32, {WeightType::kF32, Form::kTiled, 1, rows, k}, 2);
  }
  // A BF16 matrix that becomes Q8_0: output head and Markov head.
  void head(std::string_view name, TensorClass c, u64 rows, u64 k) {
    add(name, c, CheckpointFormat::kBf16, {WeightType::kQ8_0, Form::kTiled, 1, rows, k}, 2);
  }
  // Rows that are looked up or used one by one, plain.
  void rows(std::string_view name, TensorClass c, u64 rows, u64 k) {
    add(name, c, CheckpointFormat::kBf16, {WeightType::kBF16, Form::kPlain, 1, rows, k}, 2);
  }
  void norm(std::string_view name, u64 n, TensorClass c = TensorClass::kMix) {
    add(name, c, CheckpointFormat::kBf16, {WeightType::kBF16, Form::kPlain, 1, 1, n}, 1);
  }
  void vector(std::string_view name, TensorClass c, u64 n) {
    add(name, c, CheckpointFormat::kF32, {WeightType::kF32, Form::kPlain, 1, 1, n}, 1);
  }
  void experts(std::string_view name, u64 n, u64 rows, u64 k) {
    add(name, TensorClass::kRoutedExperts, CheckpointFormat::kFp4, {WeightType::kMXFP4, Form::kTiled, n, rows, k}, 2);
  }

 private:
  void add(std::string_view name, TensorClass c, CheckpointFormat format, formats::PackedShape shape, u32 dimensions) {
    specs_.push_back({prefix_ + std::string(name), c, format, shape, dimensions, draft_});
  }

  std::vector<TensorSpec>& specs_;
  std::string prefix_;
  bool draft_;
};

void add_mix(SpecList& list, const Config& c, std::string_view part) {
  list.f32(fmt::format("hc_{}_fn", part), TensorClass::kMix, c.mix_width(), c.streams_width());
  list.vector(fmt::format("hc_{}_base", part), TensorClass::kMix, c.mix_width());
  list.vector(fmt::format("hc_{}_scale", part), TensorClass::kMix, 3);
}

void add_attention(SpecList& list, const Config& c) {
  const u64 q_width = u64{c.n_heads} * c.head_dim;
  list.norm("attn_norm.weight", c.dim);
  list.fp8("attn.wq_a.weight", TensorClass::kAttention, c.q_lora_rank, c.dim);
  list.norm("attn.q_norm.weight", c.q_lora_rank);
  list.fp8("attn.wq_b.weight", TensorClass::kAttention, q_width, c.q_lora_rank);
  list.fp8("attn.wkv.weight", TensorClass::kAttention, c.head_dim, c.dim);
  list.norm("attn.kv_norm.weight", c.head_dim);
  list.vector("attn.attn_sink", TensorClass::kMix, c.n_heads);
  list.fp8("attn.wo_a.weight", TensorClass::kAttention, u64{c.o_groups} * c.o_lora_rank, c.group_width());
  list.fp8("attn.wo_b.weight", TensorClass::kAttention, c.dim, u64{c.o_groups} * c.o_lora_rank);
}

void add_sparse_attention(SpecList& list, const Config& c, const LayerRole& role) {
  if (role.owns_kv) {
    list.bf16("attn.compressor.wkv.weight", TensorClass::kIndex, c.head_dim, c.dim);
    if (role.ratio == 2) list.bf16("attn.compressor.wgate.weight", TensorClass::kIndex, c.head_dim, c.dim);
    list.norm("attn.compressor.norm.weight", c.head_dim, TensorClass::kIndex);
    list.bf16("attn.indexer.wk.weight", TensorClass::kIndex, c.index_head_dim, c.head_dim);
    list.norm("attn.indexer.k_norm.weight", c.index_head_dim, TensorClass::kIndex);
  }
  if (role.owns_index) {
    list.fp8("attn.indexer.wq_b.weight", TensorClass::kIndex, u64{c.index_n_heads} * c.index_head_dim, c.q_lora_rank);
    list.bf16("attn.indexer.weights_proj.weight", TensorClass::kIndex, c.index_n_heads, c.dim);
  }
}

void add_mixture(SpecList& list, const Config& c, u32 n_experts) {
  list.norm("ffn_norm.weight", c.dim);
  list.bf16("ffn.gate.weight", TensorClass::kRouter, n_experts, c.dim);
  list.vector("ffn.gate.bias", TensorClass::kRouter, n_experts);
  if (c.has_vision) list.vector("ffn.gate.bias_vl", TensorClass::kRouter, n_experts);
  list.experts("ffn.experts.w1", n_experts, c.moe_inter_dim, c.dim);
  list.experts("ffn.experts.w3", n_experts, c.moe_inter_dim, c.dim);
  list.experts("ffn.experts.w2", n_experts, c.dim, c.moe_inter_dim);
  list.fp8("ffn.shared_experts.w1.weight", TensorClass::kSharedExperts, c.moe_inter_dim, c.dim);
  list.fp8("ffn.shared_experts.w3.weight", TensorClass::kSharedExperts, c.moe_inter_dim, c.dim);
  list.fp8("ffn.shared_experts.w2.weight", TensorClass::kSharedExperts, c.dim, c.moe_inter_dim);
}

void add_engram(SpecList& list, const Config& c) {
  list.fp8("engram.wkv.weight", TensorClass::kEngramProjection, u64{c.hc_mult + 1} * c.dim, c.engram.width());
  list.rows("engram.q_weight", TensorClass::kEngramProjection, c.hc_mult, c.dim);
  list.rows("engram.k_weight", TensorClass::kEngramProjection, c.hc_mult, c.dim);
}

void add_block(SpecList& list, const Config& c, const LayerRole& role, u32 n_experts) {
  if (role.engram != kNone) add_engram(list, c);
  add_mix(list, c, "attn");
  add_attention(list, c);
  add_sparse_attention(list, c, role);
  add_mix(list, c, "ffn");
  add_mixture(list, c, n_experts);
}

void add_draft(std::vector<TensorSpec>& specs, const Config& c) {
  const DraftConfig& draft = c.draft;
  for (u32 stage = 0; stage < draft.n_stages; ++stage) {
    SpecList list(specs, fmt::format("mtp.{}.", stage), true);
    if (stage == 0) {
      list.fp8("main_proj.weight", TensorClass::kDraftInput, c.dim, c.tap_width());
      list.norm("main_norm.weight", c.dim);
    }
    add_block(list, c, LayerRole(), draft.n_routed_experts);
    if (stage + 1 < draft.n_stages) continue;
    list.norm("norm.weight", c.dim);
    list.rows("markov_head.embed.weight", TensorClass::kEmbedding, c.vocab_size, draft.markov_rank);
    list.head("markov_head.head.weight", TensorClass::kMarkov, c.vocab_size, draft.markov_rank);
    list.bf16("confidence_head.proj.weight", TensorClass::kConfidence, 1, u64{c.dim} + draft.markov_rank);
  }
}

}  // namespace

std::string_view name(TensorClass tensor_class) {
  switch (tensor_class) {
    case TensorClass::kAttention:
      return "attention projections";
    case TensorClass::kRoutedExperts:
      return "routed experts";
    case TensorClass::kSharedExperts:
      return "shared experts";
    case TensorClass::kHead:
      return "output head";
    case TensorClass::kEngramProjection:
      return "Engram wkv";
    case TensorClass::kRouter:
      return "router";
    case TensorClass::kIndex:
      return "compressor + indexer";
    case TensorClass::kMix:
      return "mHC + norms";
    case TensorClass::kEmbedding:
      return "embedding";
    case TensorClass::kMarkov:
      return "Markov head";
    case TensorClass::kDraftInput:
      return "draft input";
    case TensorClass::kConfidence:
      return "confidence head";
  }
  return "";
}

std::string_view name(CheckpointFormat format) {
  switch (format) {
    case CheckpointFormat::kBf16:
      return "BF16";
    case CheckpointFormat::kF32:
      return "F32";
    case CheckpointFormat::kFp8:
      return "FP8";
    case CheckpointFormat::kFp4:
      return "FP4";
  }
  return "";
}

std::string TensorSpec::expert_name(u64 expert) const {
  if (!stacked()) return name;
  const std::size_t matrix = name.rfind('.');
  return fmt::format("{}.{}{}.weight", name.substr(0, matrix), expert, name.substr(matrix));
}

std::string TensorSpec::expert_scale_name(u64 expert) const {
  std::string scale = expert_name(expert);
  return scale.replace(scale.size() - 6, 6, "scale");  // .weight
}

std::vector<TensorSpec> tensor_specs(const Config& c) {
  std::vector<TensorSpec> specs;
  SpecList global(specs, "", false);
  global.rows("embed.weight", TensorClass::kEmbedding, c.vocab_size, c.dim);
  for (u32 layer = 0; layer < c.n_layers; ++layer) {
    SpecList list(specs, fmt::format("layers.{}.", layer), false);
    add_block(list, c, c.roles[layer], c.n_routed_experts);
  }
  global.norm("norm.weight", c.dim);
  global.head("head.weight", TensorClass::kHead, c.vocab_size, c.dim);
  add_draft(specs, c);
  return specs;
}

std::string engram_codes_name(u32 layer) {
  return fmt::format("layers.{}.engram.embed.weight", layer);
}
std::string engram_scales_name(u32 layer) {
  return fmt::format("layers.{}.engram.embed.scale", layer);
}

bool is_vision_tensor(std::string_view name) {
  constexpr std::string_view kPrefixes[] = {"vision.", "vision_tower.", "visual.", "aligner.", "image_"};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

u64 bytes_read_per_token(const TensorSpec& spec, u64 stored_bytes, const Config& config) {
  if (spec.tensor_class == TensorClass::kEmbedding) return stored_bytes / spec.packed.rows;
  if (!spec.stacked()) return stored_bytes;
  const u64 used = spec.draft ? config.draft.n_activated_experts : config.n_activated_experts;
  return stored_bytes / spec.packed.experts * used;
}

}  // namespace bolide::model
