// Counts what a computation asks of its arithmetic, so that a test can show what it reached.
#pragma once
#include <algorithm>
#include <array>
#include <map>

#include "model/arithmetic.h"

namespace bolide::test {

struct ArithmeticCounts {
  std::map<model::MatrixType, u64> products;  // rule 2, by the type of the matrix
  u64 narrow_mixes = 0;                       // mHC mixes of at most 8,192 columns: 16 segments
  u64 wide_mixes = 0;                         // wider ones: 64 segments
  u64 pooled_pairs = 0;
  u64 engram_gates = 0;
  u64 routes = 0;
  u64 most_entries = 0;                    // of one attention list
  std::array<u64, 2> ropes{};              // by RopeKind
  std::array<u64, 2> farthest_position{};  // of a rope row, by RopeKind
};

// For one thread.
class CountingArithmetic : public model::Arithmetic {
 public:
  explicit CountingArithmetic(const model::Arithmetic& counted) : counted_(counted) {}

  const ArithmeticCounts& counts() const { return counts_; }

  void linear(const model::Matrix& w, u32 first_row, std::span<const float> x, std::span<float> y) const override {
    ++counts_.products[w.type];
    counted_.linear(w, first_row, x, y);
  }
  void output_group(const model::Matrix& w, u32 first_row, std::span<const float> x,
                    std::span<float> y) const override {
    ++counts_.products[w.type];
    counted_.output_group(w, first_row, x, y);
  }
  void logits(const model::Matrix& w, std::span<const float> x, std::span<float> y) const override {
    ++counts_.products[w.type];
    counted_.logits(w, x, y);
  }
  void float_linear(const model::FloatMatrix& w, std::span<const float> x, std::span<float> y) const override {
    counted_.float_linear(w, x, y);
  }
  void norm(std::span<const float> x, std::span<const float> w, std::span<float> y) const override {
    counted_.norm(x, w, y);
  }
  model::Mix mix(std::span<const float> h, const model::MixWeights& weights) const override {
    ++(weights.fn.k > 8192 ? counts_.wide_mixes : counts_.narrow_mixes);
    return counted_.mix(h, weights);
  }
  void engram_gate(std::span<float> h, std::span<const float> key, std::span<const float> value,
                   std::span<const float> q_weight, std::span<const float> k_weight) const override {
    ++counts_.engram_gates;
    counted_.engram_gate(h, key, value, q_weight, k_weight);
  }
  model::RopeRow rope_row(model::RopeKind kind, u64 position) const override {
    const auto i = static_cast<std::size_t>(kind);
    ++counts_.ropes[i];
    counts_.farthest_position[i] = std::max(counts_.farthest_position[i], position);
    return counted_.rope_row(kind, position);
  }
  void pool_pair(std::span<const float> even_key, std::span<const float> even_gate, std::span<const float> odd_key,
                 std::span<const float> odd_gate, std::span<float> latent) const override {
    ++counts_.pooled_pairs;
    counted_.pool_pair(even_key, even_gate, odd_key, odd_gate, latent);
  }
  void attend(std::span<const float> q, std::span<const float> entries, std::span<const float> sink, float scale,
              std::span<float> o) const override {
    const u64 head_size = q.size() / sink.size();
    counts_.most_entries = std::max(counts_.most_entries, entries.size() / head_size);
    counted_.attend(q, entries, sink, scale, o);
  }
  std::vector<model::RoutedExpert> route(std::span<const float> logits, std::span<const float> bias,
                                         u32 n_used) const override {
    ++counts_.routes;
    return counted_.route(logits, bias, n_used);
  }
  void swiglu(std::span<const float> gate, std::span<const float> up, float weight, std::span<float> y) const override {
    counted_.swiglu(gate, up, weight, y);
  }

 private:
  const model::Arithmetic& counted_;
  mutable ArithmeticCounts counts_;
};

}  // namespace bolide::test
