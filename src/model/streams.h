// The four residual streams of mHC (spec model.md 3.3; order of operations: arithmetic.md rule 4). Streams are
// stream-major.
#pragma once
#include <array>
#include <span>

#include "model/arithmetic.h"

namespace bolide::model {

// What a row carries from sub-block to sub-block: its streams, and the collapse coefficients of the sub-block before.
struct Streams {
  std::vector<float> h;      // [4][dim]
  std::array<float, 4> pre;  // (1, 0, 0, 0) at the start

  // Four copies of an embedding row.
  explicit Streams(std::span<const float> embedding);
  std::size_t dim() const { return h.size() / 4; }
  std::span<float> stream(std::size_t c) { return std::span(h).subspan(c * dim(), dim()); }
  std::span<const float> stream(std::size_t c) const { return std::span(h).subspan(c * dim(), dim()); }
};

// x = bf16(sum over c of pre[c] * h[c]).
std::vector<float> collapse(const Streams& streams);
// h[b] = bf16(post[b] * y + sum over a of C[a][b] * h[a]), and the new pre.
void expand(const Mix& mix, std::span<const float> y, Streams& streams);
// The draft tap: bf16 of the mean over the streams (spec 3.1).
std::vector<float> tap_mean(const Streams& streams);

}  // namespace bolide::model
