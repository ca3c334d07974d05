// The Engram gate of A1 (spec model.md 3.2; design: arithmetic.md rule 4).
#include <array>
#include <cmath>

#include "arith/bf16.h"
#include "arith/functions.h"
#include "arith/reductions.h"
#include "model/oracle/mechanisms.h"
#include "model/oracle/oracle_arithmetic.h"

namespace bolide::model {

float oracle::engram_match(std::span<const float> h, std::span<const float> key, std::span<const float> q_weight,
                           std::span<const float> k_weight, float eps) {
  std::vector<float> weighted(h.size());
  for (std::size_t i = 0; i < h.size(); ++i) weighted[i] = (q_weight[i] * k_weight[i]) * h[i];
  const float dot = arith::ordered_dot(weighted, key);
  const float scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(h.size())));
  return (dot * (inverse_rms(h, eps) * inverse_rms(key, eps))) * scale;
}

void oracle::engram_add(float d, std::span<const float> value, std::span<float> h) {
  const float root = dialect::sqrt(std::fmax(dialect::magnitude(d), 1e-6f));
  const float gate = arith::sigmoid(std::copysign(root, d));
  for (std::size_t i = 0; i < h.size(); ++i) h[i] = arith::bf16(h[i] + gate * value[i]);
}

void OracleArithmetic::engram_gate(std::span<float> h, std::span<const float> key, std::span<const float> value,
                                   std::span<const float> q_weight, std::span<const float> k_weight) const {
  oracle::engram_add(oracle::engram_match(h, key, q_weight, k_weight, norm_eps_), value, h);
}

}  // namespace bolide::model
