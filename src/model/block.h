// The parts of a transformer block that trunk layers and draft stages share (spec model.md 3.3, 3.4, 3.8, 3.9). One row
// at a time.
#pragma once
#include <span>
#include <vector>

#include "model/arithmetic.h"
#include "model/config.h"
#include "model/state_layout.h"
#include "model/streams.h"

namespace bolide::model {

// A row that entered a sub-block: its mHC coefficients, and the normed input x.
struct Entered {
  Mix mix;
  std::vector<float> x;
};

// bf16 of the sum of expert outputs in binary32, in the order given, the shared expert's last (arithmetic.md rule 7).
std::vector<float> sum_experts(std::span<const std::vector<float>> outputs);

class Block {
 public:
  Block(const Config& config, const Arithmetic& arithmetic, const BlockWeights& weights, RopeKind rope)
      : config_(config), arithmetic_(arithmetic), weights_(weights), rope_(rope) {}

  Entered enter_attention(const Streams& streams) const;
  Entered enter_mixture(const Streams& streams) const;

  // The query's low-rank form (the indexer needs it, too) and the rotated heads.
  struct Query {
    std::vector<float> low_rank;
    std::vector<float> heads;  // [n_heads][512]
  };
  Query query(std::span<const float> x, u64 position) const;
  // The window row of position `position` from x: wkv, norm, rope, Q8.
  void window_row(std::span<const float> x, u64 position, std::span<std::byte, kWindowRowBytes> row) const;
  // Attends to `entries` (decoded rows in list order) and projects: the sub-block's output y.
  std::vector<float> attend(const Query& query, u64 position, std::span<const float> entries) const;
  // The router's logits of x, and the mixture of `n_used` experts and the shared one.
  std::vector<float> router_logits(std::span<const float> x) const;
  std::vector<float> mixture(std::span<const float> x, std::span<const float> router_logits, u32 n_used,
                             bool image) const;

 private:
  Entered enter(const Streams& streams, const MixWeights& mix, std::span<const float> norm) const;
  std::vector<float> expert(const ExpertWeights& weights, std::span<const float> x, float weight) const;

  const Config& config_;
  const Arithmetic& arithmetic_;
  const BlockWeights& weights_;
  RopeKind rope_;
};

}  // namespace bolide::model
