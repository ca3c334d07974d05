// mHC coefficients (spec model.md 3.3; design: arithmetic.md rule 4). Four rows, or four columns, are normalized side
// by side: loops over four that become one register.
#include <algorithm>

#include "arith/functions.h"
#include "backends/cpu/vector_ops.h"

namespace bolide::backends::cpu {
namespace {

using Four = std::array<float, 4>;
using Square = std::array<Four, 4>;

// Divides lane i of all four by their sum ((s0 + s1) + s2) + s3 in lane i, plus eps.
void normalize(Square& s, float eps) {
  Four divisor;
  for (u32 i = 0; i < 4; ++i) divisor[i] = (((s[0][i] + s[1][i]) + s[2][i]) + s[3][i]) + eps;
  for (Four& four : s) {
    for (u32 i = 0; i < 4; ++i) four[i] = four[i] / divisor[i];
  }
}

void transpose(Square& s) {
  for (u32 a = 0; a < 4; ++a) {
    for (u32 b = a + 1; b < 4; ++b) std::swap(s[a][b], s[b][a]);
  }
}

// Of the four values in each lane, then + eps.
void softmax(Square& s, float eps) {
  for (u32 i = 0; i < 4; ++i) {
    const float largest = std::max(std::max(s[0][i], s[1][i]), std::max(s[2][i], s[3][i]));
    for (Four& four : s) four[i] = arith::exp(four[i] - largest);
  }
  normalize(s, 0.0f);
  for (Four& four : s) {
    for (float& value : four) value = value + eps;
  }
}

}  // namespace

model::Mix sinkhorn(std::span<const float, 24> m, std::span<const float> scale, std::span<const float> base,
                    u32 iterations, float eps) {
  const auto logit = [&](u32 i, u32 part) { return m[i] * scale[part] + base[i]; };
  model::Mix mix;
  for (u32 i = 0; i < 4; ++i) {
    mix.pre[i] = arith::sigmoid(logit(i, 0)) + eps;
    mix.post[i] = 2.0f * arith::sigmoid(logit(4 + i, 1));
  }
  // s[column][row]: lanes are rows.
  Square s;
  for (u32 row = 0; row < 4; ++row) {
    for (u32 column = 0; column < 4; ++column) s[column][row] = logit(8 + 4 * row + column, 2);
  }
  softmax(s, eps);
  transpose(s);
  normalize(s, eps);
  for (u32 iteration = 1; iteration < iterations; ++iteration) {
    transpose(s);
    normalize(s, eps);
    transpose(s);
    normalize(s, eps);
  }
  for (u32 row = 0; row < 4; ++row) std::copy(s[row].begin(), s[row].end(), &mix.carry[u64{row} * 4]);
  return mix;
}

}  // namespace bolide::backends::cpu
