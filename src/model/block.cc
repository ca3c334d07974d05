#include "model/block.h"

#include "arith/bf16.h"
#include "model/rope.h"

namespace bolide::model {
namespace {

constexpr float kScoreScale = 0x1.6a09e6p-5f;  // f32(512^-0.5)

}  // namespace

std::vector<float> sum_experts(std::span<const std::vector<float>> outputs) {
  std::vector<float> sum(outputs.front().size(), 0.0f);
  for (const std::vector<float>& output : outputs) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = sum[i] + output[i];
  }
  for (float& value : sum) value = arith::bf16(value);
  return sum;
}

Entered Block::enter(const Streams& streams, const MixWeights& mix, std::span<const float> norm) const {
  Entered entered{arithmetic_.mix(streams.h, mix), collapse(streams)};
  arithmetic_.norm(entered.x, norm, entered.x);
  return entered;
}

Entered Block::enter_attention(const Streams& streams) const {
  return enter(streams, weights_.attention_mix, weights_.attention_norm);
}

Entered Block::enter_mixture(const Streams& streams) const {
  return enter(streams, weights_.mixture_mix, weights_.mixture_norm);
}

Block::Query Block::query(std::span<const float> x, u64 position) const {
  const AttentionWeights& w = weights_.attention;
  Query query{std::vector<float>(w.wq_a.rows), std::vector<float>(w.wq_b.rows)};
  arithmetic_.linear(w.wq_a, 0, x, query.low_rank);
  arithmetic_.norm(query.low_rank, w.q_norm, query.low_rank);
  arithmetic_.linear(w.wq_b, 0, query.low_rank, query.heads);
  const RopeRow rope = arithmetic_.rope_row(rope_, position);
  for (u32 head = 0; head < config_.n_heads; ++head) {
    rotate(std::span(query.heads).subspan(u64{head} * kHeadDim, kHeadDim), rope);
  }
  return query;
}

void Block::window_row(std::span<const float> x, u64 position, std::span<std::byte, kWindowRowBytes> row) const {
  std::array<float, kHeadDim> kv;
  arithmetic_.linear(weights_.attention.wkv, 0, x, kv);
  arithmetic_.norm(kv, weights_.attention.kv_norm, kv);
  rotate(kv, arithmetic_.rope_row(rope_, position));
  encode_window_row(kv, row);
}

std::vector<float> Block::attend(const Query& query, u64 position, std::span<const float> entries) const {
  const AttentionWeights& w = weights_.attention;
  std::vector<float> o(query.heads.size());
  arithmetic_.attend(query.heads, entries, w.sink, kScoreScale, o);
  const RopeRow rope = arithmetic_.rope_row(rope_, position);
  for (u32 head = 0; head < config_.n_heads; ++head) {
    rotate_back(std::span(o).subspan(u64{head} * kHeadDim, kHeadDim), rope);
  }
  std::vector<float> low(w.wo_a.rows);
  for (u32 group = 0; group < config_.o_groups; ++group) {
    arithmetic_.output_group(w.wo_a, group * config_.o_lora_rank,
                             std::span(o).subspan(u64{group} * config_.group_width(), config_.group_width()),
                             std::span(low).subspan(u64{group} * config_.o_lora_rank, config_.o_lora_rank));
  }
  std::vector<float> y(config_.dim);
  arithmetic_.linear(w.wo_b, 0, low, y);
  return y;
}

std::vector<float> Block::router_logits(std::span<const float> x) const {
  std::vector<float> logits(weights_.mixture.gate.rows);
  arithmetic_.float_linear(weights_.mixture.gate, x, logits);
  return logits;
}

std::vector<float> Block::expert(const ExpertWeights& weights, std::span<const float> x, float weight) const {
  std::vector<float> gate(weights.w1.rows);
  std::vector<float> up(weights.w3.rows);
  arithmetic_.linear(weights.w1, 0, x, gate);
  arithmetic_.linear(weights.w3, 0, x, up);
  arithmetic_.swiglu(gate, up, weight, gate);
  std::vector<float> y(weights.w2.rows);
  arithmetic_.linear(weights.w2, 0, gate, y);
  return y;
}

std::vector<float> Block::mixture(std::span<const float> x, std::span<const float> router_logits, u32 n_used,
                                  bool image) const {
  const MixtureWeights& w = weights_.mixture;
  const std::vector<float>& bias = image && !w.image_bias.empty() ? w.image_bias : w.bias;
  std::vector<std::vector<float>> outputs;
  for (const RoutedExpert& routed : arithmetic_.route(router_logits, bias, n_used)) {
    outputs.push_back(expert(w.experts[routed.expert], x, routed.weight));
  }
  outputs.push_back(expert(w.shared, x, 1.0f));
  return sum_experts(outputs);
}

}  // namespace bolide::model
