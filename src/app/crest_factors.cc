#include "app/crest_factors.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "model/selection.h"

namespace bolide::app {
namespace {

using model::Matrix;

// The kind of each matrix whose input is watched. Of matrices that share an input, one stands for all.
using MatrixKinds = std::unordered_map<const Matrix*, std::string>;

void name_block(MatrixKinds& kinds, const model::BlockWeights& block, const std::string& prefix) {
  const model::AttentionWeights& attention = block.attention;
  // A draft stage's wkv also reads the context, which wq_a does not.
  kinds[&attention.wq_a] = prefix + "attention wq_a";
  kinds[&attention.wkv] = prefix + "attention wkv";
  kinds[&attention.wq_b] = prefix + "attention wq_b";
  kinds[&attention.wo_a] = prefix + "attention wo_a";
  kinds[&attention.wo_b] = prefix + "attention wo_b";
  for (const model::ExpertWeights& expert : block.mixture.experts) {
    kinds[&expert.w1] = prefix + "routed experts w1, w3";
    kinds[&expert.w2] = prefix + "routed experts w2";
  }
  kinds[&block.mixture.shared.w1] = prefix + "shared experts w1, w3";
  kinds[&block.mixture.shared.w2] = prefix + "shared experts w2";
  if (block.indexer) kinds[&block.indexer->wq_b] = prefix + "indexer wq_b";
  if (block.engram) kinds[&block.engram->wkv] = prefix + "Engram wkv";
}

MatrixKinds name_matrices(const model::Weights& weights) {
  MatrixKinds kinds;
  for (const model::BlockWeights& layer : weights.layers) name_block(kinds, layer, "");
  kinds[&weights.head] = "output head";
  if (!weights.draft) return kinds;
  for (const model::BlockWeights& stage : weights.draft->stages) name_block(kinds, stage, "drafter ");
  kinds[&weights.draft->main_proj] = "drafter main_proj";
  kinds[&weights.draft->markov_head] = "drafter Markov head";
  return kinds;
}

// An arithmetic that computes as another one does and watches the inputs of its matrices.
class WatchingArithmetic : public model::Arithmetic {
 public:
  WatchingArithmetic(const model::Arithmetic& inner, const model::Weights& weights, CrestFactorTable& table)
      : inner_(inner), kinds_(name_matrices(weights)), table_(table) {}

  void linear(const Matrix& w, u32 first_row, std::span<const float> x, std::span<float> y) const override {
    watch(w, x);
    inner_.linear(w, first_row, x, y);
  }
  void output_group(const Matrix& w, u32 first_row, std::span<const float> x, std::span<float> y) const override {
    watch(w, x);
    inner_.output_group(w, first_row, x, y);
  }
  void logits(const Matrix& w, std::span<const float> x, std::span<float> y) const override {
    watch(w, x);
    inner_.logits(w, x, y);
  }

  void float_linear(const model::FloatMatrix& w, std::span<const float> x, std::span<float> y) const override {
    inner_.float_linear(w, x, y);
  }
  void norm(std::span<const float> x, std::span<const float> w, std::span<float> y) const override {
    inner_.norm(x, w, y);
  }
  model::Mix mix(std::span<const float> h, const model::MixWeights& weights) const override {
    return inner_.mix(h, weights);
  }
  void engram_gate(std::span<float> h, std::span<const float> key, std::span<const float> value,
                   std::span<const float> q_weight, std::span<const float> k_weight) const override {
    inner_.engram_gate(h, key, value, q_weight, k_weight);
  }
  model::RopeRow rope_row(model::RopeKind kind, u64 position) const override { return inner_.rope_row(kind, position); }
  void pool_pair(std::span<const float> even_key, std::span<const float> even_gate, std::span<const float> odd_key,
                 std::span<const float> odd_gate, std::span<float> latent) const override {
    inner_.pool_pair(even_key, even_gate, odd_key, odd_gate, latent);
  }
  void attend(std::span<const float> q, std::span<const float> entries, std::span<const float> sink, float scale,
              std::span<float> o) const override {
    inner_.attend(q, entries, sink, scale, o);
  }
  std::vector<model::RoutedExpert> route(std::span<const float> logits, std::span<const float> bias,
                                         u32 n_used) const override {
    return inner_.route(logits, bias, n_used);
  }
  void swiglu(std::span<const float> gate, std::span<const float> up, float weight, std::span<float> y) const override {
    inner_.swiglu(gate, up, weight, y);
  }

 private:
  void watch(const Matrix& w, std::span<const float> x) const {
    if (const auto kind = kinds_.find(&w); kind != kinds_.end()) table_[kind->second].add(x);
  }

  const model::Arithmetic& inner_;
  MatrixKinds kinds_;
  CrestFactorTable& table_;
};

// Wants the logits after every token, so that the output head is watched, too; knows the last likeliest token.
class EveryLogits : public model::StepObserver {
 public:
  bool wants_logits(u64) override { return true; }
  void logits(u64, std::span<const float> values) override { likeliest_ = model::argmax(values); }
  u32 likeliest() const { return likeliest_; }

 private:
  u32 likeliest_ = 0;
};

}  // namespace

void CrestFactors::add(std::span<const float> x) {
  constexpr std::size_t kBlock = 32;
  for (; x.size() >= kBlock; x = x.subspan(kBlock)) {
    double max = 0, squares = 0;
    for (const float value : x.first(kBlock)) {
      max = std::max(max, std::abs(static_cast<double>(value)));
      squares += static_cast<double>(value) * value;
    }
    if (squares == 0) continue;
    const double factor = max / std::sqrt(squares / kBlock);
    ++blocks;
    sum += factor;
    largest = std::max(largest, factor);
    peaked += factor > kPeakedCrestFactor ? 1 : 0;
  }
}

Result<CrestFactorTable> measure_crest_factors(const engine::OpenModel& open, std::span<const u32> ids) {
  CrestFactorTable table;
  const WatchingArithmetic watching(*open.arithmetic, open.model.weights, table);
  const model::Forward forward(open.model, watching);
  model::State state(open.model.config);
  EveryLogits observer;
  constexpr std::size_t kChunk = 64;
  for (; !ids.empty(); ids = ids.subspan(std::min(kChunk, ids.size()))) {
    const Status status = forward.advance(state, ids.first(std::min(kChunk, ids.size())), observer);
    if (!status) return status.error();
  }
  if (open.model.weights.draft) {
    if (auto block = forward.draft(state, observer.likeliest()); !block) return block.error();
  }
  return table;
}

}  // namespace bolide::app
