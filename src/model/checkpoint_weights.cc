#include "model/checkpoint_weights.h"

#include <fmt/format.h>

#include "arith/bf16.h"
#include "model/tensors.h"

namespace bolide::model {
namespace {

using formats::Checkpoint;
using formats::DType;
using formats::Tensor;

// The values of a small BF16 or F32 tensor.
std::vector<float> decode(const Tensor& tensor) {
  const u64 element = formats::element_bytes(tensor.dtype);
  std::vector<float> values(tensor.data.size() / element);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::byte* at = tensor.data.data() + i * element;
    values[i] = tensor.dtype == DType::kBF16 ? arith::bf16_value(load<u16>(at)) : load<float>(at);
  }
  return values;
}

// Reads the tensors under one name prefix. Accounting has shown that they exist, with their types and shapes.
class Reader {
 public:
  Reader(const Checkpoint& checkpoint, std::string prefix) : checkpoint_(checkpoint), prefix_(std::move(prefix)) {}

  Reader below(std::string_view part) const { return {checkpoint_, prefix_ + std::string(part)}; }

  std::vector<float> vector(std::string_view name) const { return decode(find(name)); }

  FloatMatrix float_matrix(std::string_view name) const {
    const Tensor& tensor = find(name);
    return {static_cast<u32>(tensor.shape[0]), static_cast<u32>(tensor.shape[1]), decode(tensor)};
  }

  // `name` without ".weight".
  Matrix matrix(std::string_view name) const {
    const Tensor& codes = find(std::string(name) + ".weight");
    const auto rows = static_cast<u32>(codes.shape[0]);
    const auto columns = static_cast<u32>(codes.shape[1]);
    if (codes.dtype == DType::kBF16) return {MatrixType::kBf16, rows, columns, codes.data, {}};
    const Tensor& scales = find(std::string(name) + ".scale");
    if (codes.dtype == DType::kI8) return {MatrixType::kFp4, rows, columns * 2, codes.data, scales.data};
    return {MatrixType::kFp8, rows, columns, codes.data, scales.data};
  }

 private:
  const Tensor& find(std::string_view name) const {
    const Tensor* tensor = checkpoint_.find(prefix_ + std::string(name));
    check(tensor != nullptr, "every tensor that is read was accounted for");
    return *tensor;
  }

  const Checkpoint& checkpoint_;
  std::string prefix_;
};

MixWeights load_mix(const Reader& in, std::string_view part) {
  const Reader of = in.below(fmt::format("hc_{}_", part));
  return {of.float_matrix("fn"), of.vector("base"), of.vector("scale")};
}

AttentionWeights load_attention(const Reader& in) {
  return {.wq_a = in.matrix("wq_a"),
          .wq_b = in.matrix("wq_b"),
          .wkv = in.matrix("wkv"),
          .wo_a = in.matrix("wo_a"),
          .wo_b = in.matrix("wo_b"),
          .q_norm = in.vector("q_norm.weight"),
          .kv_norm = in.vector("kv_norm.weight"),
          .sink = in.vector("attn_sink")};
}

CompressorWeights load_compressor(const Reader& attention, u32 ratio) {
  return {.wkv = attention.float_matrix("compressor.wkv.weight"),
          .wgate = ratio == 2 ? attention.float_matrix("compressor.wgate.weight") : FloatMatrix(),
          .norm = attention.vector("compressor.norm.weight"),
          .index_key = attention.float_matrix("indexer.wk.weight"),
          .index_key_norm = attention.vector("indexer.k_norm.weight")};
}

IndexerWeights load_indexer(const Reader& attention) {
  return {attention.matrix("indexer.wq_b"), attention.float_matrix("indexer.weights_proj.weight")};
}

ExpertWeights load_expert(const Reader& in) {
  return {.w1 = in.matrix("w1"), .w3 = in.matrix("w3"), .w2 = in.matrix("w2")};
}

MixtureWeights load_mixture(const Reader& in, u32 n_experts, bool has_vision) {
  MixtureWeights mixture;
  mixture.gate = in.float_matrix("gate.weight");
  mixture.bias = in.vector("gate.bias");
  if (has_vision) mixture.image_bias = in.vector("gate.bias_vl");
  for (u32 i = 0; i < n_experts; ++i) mixture.experts.push_back(load_expert(in.below(fmt::format("experts.{}.", i))));
  mixture.shared = load_expert(in.below("shared_experts."));
  return mixture;
}

EngramWeights load_engram(const Reader& in) {
  return {in.matrix("wkv"), in.float_matrix("q_weight"), in.float_matrix("k_weight")};
}

BlockWeights load_block(const Reader& in, const LayerRole& role, u32 n_experts, bool has_vision) {
  const Reader attention = in.below("attn.");
  BlockWeights block;
  block.attention_mix = load_mix(in, "attn");
  block.mixture_mix = load_mix(in, "ffn");
  block.attention_norm = in.vector("attn_norm.weight");
  block.mixture_norm = in.vector("ffn_norm.weight");
  block.attention = load_attention(attention);
  block.mixture = load_mixture(in.below("ffn."), n_experts, has_vision);
  if (role.owns_kv) block.compressor = load_compressor(attention, role.ratio);
  if (role.owns_index) block.indexer = load_indexer(attention);
  if (role.engram != kNone) block.engram = load_engram(in.below("engram."));
  return block;
}

// The input projection belongs to the first stage, everything after the blocks to the last (dspark.md 1.2).
DraftWeights load_draft(const Checkpoint& checkpoint, const Config& config) {
  const DraftConfig& draft = config.draft;
  const auto stage = [&](u32 i) { return Reader(checkpoint, fmt::format("mtp.{}.", i)); };
  const Reader first = stage(0);
  const Reader last = stage(draft.n_stages - 1);
  DraftWeights weights;
  weights.main_proj = first.matrix("main_proj");
  weights.main_norm = first.vector("main_norm.weight");
  for (u32 i = 0; i < draft.n_stages; ++i) {
    weights.stages.push_back(load_block(stage(i), LayerRole(), draft.n_routed_experts, config.has_vision));
  }
  weights.norm = last.vector("norm.weight");
  weights.markov_embed = last.matrix("markov_head.embed");
  weights.markov_head = last.matrix("markov_head.head");
  weights.confidence = last.float_matrix("confidence_head.proj.weight");
  return weights;
}

// All but what is skipped and the Engram tables.
Status refuse_non_finite_weights(const Config& config, const Checkpoint& checkpoint) {
  for (const TensorSpec& spec : tensor_specs(config)) {
    const bool has_scales = spec.checkpoint == CheckpointFormat::kFp8 || spec.checkpoint == CheckpointFormat::kFp4;
    for (u64 expert = 0; expert < spec.packed.experts; ++expert) {
      if (Status finite = refuse_non_finite(*checkpoint.find(spec.expert_name(expert))); !finite) return finite;
      if (!has_scales) continue;
      if (Status finite = refuse_non_finite(*checkpoint.find(spec.expert_scale_name(expert))); !finite) return finite;
    }
  }
  return {};
}

}  // namespace

Result<Weights> load_checkpoint_weights(const Config& config, std::shared_ptr<const Checkpoint> checkpoint) {
  if (const auto skipped = account_for_tensors(config, *checkpoint); !skipped) return skipped.error();
  if (Status finite = refuse_non_finite_weights(config, *checkpoint); !finite) return finite.error();

  const Reader global(*checkpoint, "");
  Weights weights;
  weights.embed = global.matrix("embed");
  weights.head = global.matrix("head");
  weights.norm = global.vector("norm.weight");
  for (u32 layer = 0; layer < config.n_layers; ++layer) {
    weights.layers.push_back(load_block(Reader(*checkpoint, fmt::format("layers.{}.", layer)), config.roles[layer],
                                        config.n_routed_experts, config.has_vision));
  }
  if (config.draft.n_stages > 0) weights.draft = load_draft(*checkpoint, config);
  weights.files = std::move(checkpoint);
  return weights;
}

}  // namespace bolide::model
