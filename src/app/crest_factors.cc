#include "app/crest_factors.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "model/selection.h"

namespace bolide::app {
namespace {

using model::Matrix;

// Knows of each watched matrix what kind it is, and collects by kind.
class Watch {
 public:
  explicit Watch(const model::Weights& weights) {
    for (const model::BlockWeights& layer : weights.layers) add_block(layer, "");
    add(weights.head, "output head");
    if (!weights.draft) return;
    add(weights.draft->main_proj, "drafter main_proj");
    for (const model::BlockWeights& stage : weights.draft->stages) add_block(stage, "drafter ");
    add(weights.draft->markov_head, "drafter Markov head");
  }

  void see(const Matrix& w, std::span<const float> x) {
    if (const auto found = places_.find(&w); found != places_.end()) inputs_[found->second].crest.add(x);
  }
  std::vector<MatrixInput> take() { return std::move(inputs_); }

 private:
  void add(const Matrix& w, const std::string& kind) {
    const auto found =
        std::find_if(inputs_.begin(), inputs_.end(), [&](const auto& input) { return input.kind == kind; });
    places_[&w] = static_cast<std::size_t>(found - inputs_.begin());
    if (found == inputs_.end()) inputs_.push_back({kind, {}});
  }

  void add_block(const model::BlockWeights& block, const std::string& prefix) {
    if (block.engram) add(block.engram->wkv, prefix + "Engram wkv");
    const model::AttentionWeights& attention = block.attention;
    add(attention.wq_a, prefix + "attention wq_a");
    // Of a draft stage it also reads the context, which wq_a does not.
    add(attention.wkv, prefix + "attention wkv");
    add(attention.wq_b, prefix + "attention wq_b");
    if (block.indexer) add(block.indexer->wq_b, prefix + "indexer wq_b");
    add(attention.wo_a, prefix + "attention wo_a");
    add(attention.wo_b, prefix + "attention wo_b");
    for (const model::ExpertWeights& expert : block.mixture.experts) {
      add(expert.w1, prefix + "routed experts w1, w3");
      add(expert.w2, prefix + "routed experts w2");
    }
    add(block.mixture.shared.w1, prefix + "shared experts w1, w3");
    add(block.mixture.shared.w2, prefix + "shared experts w2");
  }

  std::vector<MatrixInput> inputs_;
  std::unordered_map<const Matrix*, std::size_t> places_;  // in inputs_
};

// An arithmetic that computes as another one does and watches the inputs of its matrices.
class WatchingArithmetic : public model::Arithmetic {
 public:
  WatchingArithmetic(const model::Arithmetic& inner, Watch& watch) : inner_(inner), watch_(watch) {}

  void linear(const Matrix& w, u32 first_row, std::span<const float> x, std::span<float> y) const override {
    watch_.see(w, x);
    inner_.linear(w, first_row, x, y);
  }
  void output_group(const Matrix& w, u32 first_row, std::span<const float> x, std::span<float> y) const override {
    watch_.see(w, x);
    inner_.output_group(w, first_row, x, y);
  }
  void logits(const Matrix& w, std::span<const float> x, std::span<float> y) const override {
    watch_.see(w, x);
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
  const model::Arithmetic& inner_;
  Watch& watch_;
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

Result<std::vector<MatrixInput>> measure_crest_factors(const engine::OpenModel& open, std::span<const u32> ids) {
  Watch watch(open.model.weights);
  const WatchingArithmetic watching(*open.arithmetic, watch);
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
  return watch.take();
}

}  // namespace bolide::app
