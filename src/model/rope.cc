#include "model/rope.h"

#include "arith/bf16.h"

namespace bolide::model {
namespace {

// Four products, one difference, one sum, then bf16 each (design: arithmetic.md rule 1). direction: 1 or -1.
void rotate_pairs(std::span<float> x, const RopeRow& row, float direction) {
  const std::span<float> tail = x.last(kRopeDim);
  for (std::size_t i = 0; i < kRopeDim / 2; ++i) {
    const float re = tail[2 * i];
    const float im = tail[2 * i + 1];
    const float c = row.cos[i];
    const float s = direction * row.sin[i];
    tail[2 * i] = arith::bf16(re * c - im * s);
    tail[2 * i + 1] = arith::bf16(re * s + im * c);
  }
}

}  // namespace

void rotate(std::span<float> x, const RopeRow& row) {
  rotate_pairs(x, row, 1.0f);
}
void rotate_back(std::span<float> x, const RopeRow& row) {
  rotate_pairs(x, row, -1.0f);
}

}  // namespace bolide::model
