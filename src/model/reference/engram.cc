// The Engram gate of one stream (spec model.md 3.2 steps 3 and 4).
#include <algorithm>
#include <cmath>

#include "arith/bf16.h"
#include "model/reference/dot.h"
#include "model/reference/functions.h"
#include "model/reference/reference_arithmetic.h"

namespace bolide::model {

void ReferenceArithmetic::engram_gate(std::span<float> h, std::span<const float> key, std::span<const float> value,
                                      std::span<const float> q_weight, std::span<const float> k_weight) const {
  const std::size_t n = h.size();
  std::vector<float> weighted(n);
  for (std::size_t i = 0; i < n; ++i) weighted[i] = h[i] * (q_weight[i] * k_weight[i]);
  const float r_h = 1.0f / std::sqrt(mean_square(h) + norm_eps_);
  const float r_key = 1.0f / std::sqrt(mean_square(key) + norm_eps_);
  const float d = dot(weighted, key) * (r_h * r_key) * (1.0f / std::sqrt(static_cast<float>(n)));
  const float g = sigmoid(std::copysign(std::sqrt(std::max(std::fabs(d), 1e-6f)), d));
  for (std::size_t i = 0; i < n; ++i) h[i] = arith::bf16_nearest(h[i] + g * value[i]);
}

}  // namespace bolide::model
