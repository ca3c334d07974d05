#include "model/weights_assembly.h"

#include <fmt/format.h>

namespace bolide::model {
namespace {

// The tensors under one name prefix.
class Part {
 public:
  Part(const WeightSource& source, std::string prefix) : source_(source), prefix_(std::move(prefix)) {}

  Part below(std::string_view part) const { return {source_, prefix_ + std::string(part)}; }
  std::vector<float> vector(std::string_view name) const { return source_.vector(full(name)); }
  FloatMatrix float_matrix(std::string_view name) const { return source_.float_matrix(full(name)); }
  // Without ".weight".
  Matrix matrix(std::string_view name) const { return source_.matrix(full(name) + ".weight"); }
  Matrix expert(std::string_view name, u32 expert) const { return source_.expert(full(name), expert); }

 private:
  std::string full(std::string_view name) const { return prefix_ + std::string(name); }

  const WeightSource& source_;
  std::string prefix_;
};

MixWeights assemble_mix(const Part& block, std::string_view sub_block) {
  const Part mix = block.below(fmt::format("hc_{}_", sub_block));
  return {.fn = mix.float_matrix("fn"), .base = mix.vector("base"), .scale = mix.vector("scale")};
}

AttentionWeights assemble_attention(const Part& attention) {
  return {.wq_a = attention.matrix("wq_a"),
          .wq_b = attention.matrix("wq_b"),
          .wkv = attention.matrix("wkv"),
          .wo_a = attention.matrix("wo_a"),
          .wo_b = attention.matrix("wo_b"),
          .q_norm = attention.vector("q_norm.weight"),
          .kv_norm = attention.vector("kv_norm.weight"),
          .sink = attention.vector("attn_sink")};
}

CompressorWeights assemble_compressor(const Part& attention, u32 ratio) {
  return {.wkv = attention.float_matrix("compressor.wkv.weight"),
          .wgate = ratio == 2 ? attention.float_matrix("compressor.wgate.weight") : FloatMatrix(),
          .norm = attention.vector("compressor.norm.weight"),
          .index_key = attention.float_matrix("indexer.wk.weight"),
          .index_key_norm = attention.vector("indexer.k_norm.weight")};
}

IndexerWeights assemble_indexer(const Part& attention) {
  return {.wq_b = attention.matrix("indexer.wq_b"),
          .weights_proj = attention.float_matrix("indexer.weights_proj.weight")};
}

MixtureWeights assemble_mixture(const Part& mixture, u32 n_experts, bool has_vision) {
  MixtureWeights weights;
  weights.gate = mixture.float_matrix("gate.weight");
  weights.bias = mixture.vector("gate.bias");
  if (has_vision) weights.image_bias = mixture.vector("gate.bias_vl");
  const Part experts = mixture.below("experts.");
  weights.experts.reserve(n_experts);
  for (u32 i = 0; i < n_experts; ++i) {
    weights.experts.push_back(
        {.w1 = experts.expert("w1", i), .w3 = experts.expert("w3", i), .w2 = experts.expert("w2", i)});
  }
  const Part shared = mixture.below("shared_experts.");
  weights.shared = {.w1 = shared.matrix("w1"), .w3 = shared.matrix("w3"), .w2 = shared.matrix("w2")};
  return weights;
}

EngramWeights assemble_engram(const Part& engram) {
  return {.wkv = engram.matrix("wkv"),
          .q_weight = engram.float_matrix("q_weight"),
          .k_weight = engram.float_matrix("k_weight")};
}

BlockWeights assemble_block(const Part& block, const LayerRole& role, u32 n_experts, bool has_vision) {
  const Part attention = block.below("attn.");
  BlockWeights weights;
  weights.attention_mix = assemble_mix(block, "attn");
  weights.mixture_mix = assemble_mix(block, "ffn");
  weights.attention_norm = block.vector("attn_norm.weight");
  weights.mixture_norm = block.vector("ffn_norm.weight");
  weights.attention = assemble_attention(attention);
  weights.mixture = assemble_mixture(block.below("ffn."), n_experts, has_vision);
  if (role.owns_kv) weights.compressor = assemble_compressor(attention, role.ratio);
  if (role.owns_index) weights.indexer = assemble_indexer(attention);
  if (role.engram != kNone) weights.engram = assemble_engram(block.below("engram."));
  return weights;
}

// The input projection belongs to the first stage, everything after the blocks to the last.
DraftWeights assemble_draft(const WeightSource& source, const Config& config) {
  const DraftConfig& draft = config.draft;
  const auto stage = [&](u32 i) { return Part(source, fmt::format("mtp.{}.", i)); };
  const Part first = stage(0);
  const Part last = stage(draft.n_stages - 1);
  DraftWeights weights;
  weights.main_proj = first.matrix("main_proj");
  weights.main_norm = first.vector("main_norm.weight");
  for (u32 i = 0; i < draft.n_stages; ++i) {
    weights.stages.push_back(assemble_block(stage(i), LayerRole(), draft.n_routed_experts, config.has_vision));
  }
  weights.norm = last.vector("norm.weight");
  weights.markov_embed = last.matrix("markov_head.embed");
  weights.markov_head = last.matrix("markov_head.head");
  weights.confidence = last.float_matrix("confidence_head.proj.weight");
  return weights;
}

}  // namespace

Weights assemble_weights(const Config& config, const WeightSource& source, bool with_draft) {
  const Part global(source, "");
  Weights weights;
  weights.embed = global.matrix("embed");
  weights.head = global.matrix("head");
  weights.norm = global.vector("norm.weight");
  for (u32 layer = 0; layer < config.n_layers; ++layer) {
    const Part block(source, fmt::format("layers.{}.", layer));
    weights.layers.push_back(assemble_block(block, config.roles[layer], config.n_routed_experts, config.has_vision));
  }
  if (with_draft) weights.draft = assemble_draft(source, config);
  return weights;
}

}  // namespace bolide::model
