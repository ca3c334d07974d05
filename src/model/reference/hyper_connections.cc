// The coefficients of hyper-connections (spec model.md 3.3).
#include <algorithm>
#include <cmath>

#include "model/reference/dot.h"
#include "model/reference/functions.h"
#include "model/reference/reference_arithmetic.h"

namespace bolide::model {
namespace {

constexpr u32 kStreams = 4;
using Carry = std::array<float, std::size_t{kStreams} * kStreams>;  // C[a][b], row-major

void row_softmax(Carry& c) {
  for (u32 a = 0; a < kStreams; ++a) {
    const std::span<float> row = std::span(c).subspan(std::size_t{a} * kStreams, kStreams);
    const float max = *std::ranges::max_element(row);
    float sum = 0;
    for (float& x : row) {
      x = std::exp(x - max);
      sum += x;
    }
    for (float& x : row) x /= sum;
  }
}

void normalize_rows(Carry& c, float eps) {
  for (u32 a = 0; a < kStreams; ++a) {
    float sum = 0;
    for (u32 b = 0; b < kStreams; ++b) sum += c[a * kStreams + b];
    for (u32 b = 0; b < kStreams; ++b) c[a * kStreams + b] /= sum + eps;
  }
}

void normalize_columns(Carry& c, float eps) {
  for (u32 b = 0; b < kStreams; ++b) {
    float sum = 0;
    for (u32 a = 0; a < kStreams; ++a) sum += c[a * kStreams + b];
    for (u32 a = 0; a < kStreams; ++a) c[a * kStreams + b] /= sum + eps;
  }
}

// Towards a doubly stochastic matrix; the last step normalizes columns.
void sinkhorn(Carry& c, u32 iterations, float eps) {
  row_softmax(c);
  for (float& x : c) x += eps;
  normalize_columns(c, eps);
  for (u32 i = 1; i < iterations; ++i) {
    normalize_rows(c, eps);
    normalize_columns(c, eps);
  }
}

}  // namespace

Mix ReferenceArithmetic::mix(std::span<const float> h, const MixWeights& weights) const {
  std::array<float, 2 * kStreams + kStreams * kStreams> m;
  float_linear(weights.fn, h, m);
  const float r = 1.0f / std::sqrt(mean_square(h) + norm_eps_);
  for (float& x : m) x *= r;  // the projection first, the scale after

  const auto logit = [&](u32 i, u32 part) { return m[i] * weights.scale[part] + weights.base[i]; };
  Mix mix;
  for (u32 i = 0; i < kStreams; ++i) {
    mix.pre[i] = sigmoid(logit(i, 0)) + mix_eps_;
    mix.post[i] = 2.0f * sigmoid(logit(kStreams + i, 1));
  }
  for (u32 i = 0; i < kStreams * kStreams; ++i) mix.carry[i] = logit(2 * kStreams + i, 2);
  sinkhorn(mix.carry, sinkhorn_iterations_, mix_eps_);
  return mix;
}

}  // namespace bolide::model
