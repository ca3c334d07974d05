// mHC coefficients of A1 (spec model.md 3.3; design: arithmetic.md rule 4).
#include <algorithm>

#include "arith/functions.h"
#include "model/oracle/mechanisms.h"
#include "model/oracle/oracle_arithmetic.h"

namespace bolide::model {
namespace {

// Divides four elements, `stride` apart, by their sum plus eps.
void normalize(float* c, std::size_t stride, float eps) {
  const float sum = ((c[0] + c[stride]) + c[2 * stride]) + c[3 * stride];
  const float divisor = sum + eps;
  for (std::size_t i = 0; i < 4; ++i) c[i * stride] = c[i * stride] / divisor;
}

// Softmax of a row, then + eps.
void softmax_row(float* c, float eps) {
  const float largest = std::max(std::max(c[0], c[1]), std::max(c[2], c[3]));
  for (std::size_t i = 0; i < 4; ++i) c[i] = arith::exp(c[i] - largest);
  normalize(c, 1, 0.0f);
  for (std::size_t i = 0; i < 4; ++i) c[i] = c[i] + eps;
}

}  // namespace

Mix oracle::sinkhorn(std::span<const float, 24> m, std::span<const float> scale, std::span<const float> base,
                     u32 iterations, float eps) {
  const auto logit = [&](std::size_t i, std::size_t part) { return m[i] * scale[part] + base[i]; };
  Mix mix;
  for (std::size_t i = 0; i < 4; ++i) {
    mix.pre[i] = arith::sigmoid(logit(i, 0)) + eps;
    mix.post[i] = 2.0f * arith::sigmoid(logit(4 + i, 1));
  }
  for (std::size_t i = 0; i < 16; ++i) mix.carry[i] = logit(8 + i, 2);
  float* c = mix.carry.data();
  for (std::size_t row = 0; row < 4; ++row) softmax_row(c + 4 * row, eps);
  for (std::size_t column = 0; column < 4; ++column) normalize(c + column, 4, eps);
  for (u32 iteration = 1; iteration < iterations; ++iteration) {
    for (std::size_t row = 0; row < 4; ++row) normalize(c + 4 * row, 1, eps);
    for (std::size_t column = 0; column < 4; ++column) normalize(c + column, 4, eps);
  }
  return mix;
}

Mix OracleArithmetic::mix(std::span<const float> h, const MixWeights& weights) const {
  const float r = oracle::inverse_rms(h, norm_eps_);
  std::array<float, 24> m;
  float_linear(weights.fn, h, m);
  for (float& value : m) value = value * r;
  return oracle::sinkhorn(m, weights.scale, weights.base, sinkhorn_iterations_, mix_eps_);
}

}  // namespace bolide::model
