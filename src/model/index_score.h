// The indexer's scores of one position against index keys (spec model.md 3.6, arithmetic.md rule 6).
#pragma once
#include <span>
#include <vector>

#include "model/state_layout.h"

namespace bolide::model {

// Quantized index queries of all heads of one position (Q4i), with their weights.
class IndexQuery {
 public:
  // q: [heads][128], rotated, finite. weights: [heads], bf16, already scaled.
  IndexQuery(std::span<const float> q, std::span<const float> weights);

  // The folded sum over the heads in binary32; the score is its bf16.
  float sum(std::span<const std::byte, kIndexRowBytes> key) const;
  // Scores of the index rows `rows` (whole rows, one after the other).
  std::vector<float> scores(Bytes rows) const;

 private:
  std::vector<i8> doubled_;    // twice the E2M1 values, [heads][128]
  std::vector<float> scales_;  // [heads][4]
  std::vector<float> weights_;
};

}  // namespace bolide::model
