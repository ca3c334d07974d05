// What a synthetic model reaches when it runs from a position on: the roles of its layers, counted.
#pragma once
#include <gtest/gtest.h>

#include "base/flush_mode.h"
#include "convert/synth.h"
#include "model/oracle/oracle_arithmetic.h"
#include "support/counting_arithmetic.h"
#include "support/synth_state.h"

namespace bolide::test {

struct SelectionCounts {
  u64 made = 0;       // in all
  u64 truncated = 0;  // more visible rows than were selected
  u64 masked = 0;     // limited to fewer rows than were visible
  u64 outside = 0;    // selected rows outside the candidate blocks
};

class SelectionObserver : public model::StepObserver {
 public:
  explicit SelectionObserver(const model::Config& config) : config_(config), counts_(config.n_layers) {}

  bool wants_logits(u64) override { return true; }
  void logits(u64, std::span<const float> values) override { logits_.assign(values.begin(), values.end()); }
  void selection(u32 layer, u64 position, std::span<const u32> selected,
                 std::span<const u32> candidate_blocks) override {
    const model::LayerRole& role = config_.roles[layer];
    const u64 visible = (position + 1) / role.ratio;
    SelectionCounts& counts = counts_[layer];
    ++counts.made;
    if (selected.size() < visible) ++counts.truncated;
    if (!role.applies_candidates) return;
    if (candidate_blocks.size() * config_.candidate_block_size < visible) ++counts.masked;
    for (const u32 row : selected) {
      if (!std::ranges::binary_search(candidate_blocks, row / config_.candidate_block_size)) ++counts.outside;
    }
  }

  const SelectionCounts& counts(u32 layer) const { return counts_[layer]; }
  const std::vector<float>& last_logits() const { return logits_; }

 private:
  const model::Config& config_;
  std::vector<SelectionCounts> counts_;
  std::vector<float> logits_;
};

struct Reach {
  ArithmeticCounts arithmetic;
  std::vector<SelectionCounts> selections;
  std::vector<float> logits;
  Sha256Digest state;
};

// Feeds `n` tokens from `position` on.
inline Reach reach_of(const model::Model& model, u64 seed, u64 position, u64 n, bool flush) {
  const FlushMode mode(flush);
  const model::OracleArithmetic oracle(model.config);
  const CountingArithmetic counting(oracle);
  const model::Forward forward(model, counting);
  SelectionObserver observer(model.config);
  model::State state = synth_state(seed, model.config, position);
  const std::vector<u32> ids = convert::synth_token_ids(seed, model.config, position + n);
  const Status fed = forward.advance(state, std::span(ids).subspan(position), observer);
  EXPECT_TRUE(fed) << fed.error().message;
  Reach reach{counting.counts(), {}, observer.last_logits(), forward.state_hash(state)};
  for (u32 layer = 0; layer < model.config.n_layers; ++layer) reach.selections.push_back(observer.counts(layer));
  return reach;
}

// Expects that every role of an 8-layer model was computed by each of `n` (even) tokens fed from `position` on.
inline void expect_all_roles(const Reach& reach, const model::Config& config, u64 position, u64 n) {
  const ArithmeticCounts& counts = reach.arithmetic;
  EXPECT_EQ(counts.pooled_pairs, n / 2);      // layer 2 owns rows of two tokens
  EXPECT_EQ(counts.engram_gates, 2 * 4 * n);  // two tables, four streams
  EXPECT_EQ(counts.routes, config.n_layers * n);
  EXPECT_EQ(counts.most_entries, config.window_size + config.index_topk);
  EXPECT_EQ(counts.farthest_position, (std::array<u64, 2>{position + n - 1, position + n - 1}));
  for (const u32 layer : {2U, 4U, 6U}) {
    EXPECT_EQ(reach.selections[layer].made, n) << "layer " << layer;
    EXPECT_EQ(reach.selections[layer].truncated, n) << "layer " << layer;
  }
  EXPECT_TRUE(config.roles[4].makes_candidates && config.roles[6].applies_candidates);
  EXPECT_EQ(reach.selections[6].masked, n);
  EXPECT_EQ(reach.selections[6].outside, 0U);
}

}  // namespace bolide::test
