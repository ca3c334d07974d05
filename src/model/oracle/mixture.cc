// Router and SwiGLU of A1 (spec model.md 3.9; design: arithmetic.md rule 6).
#include "arith/bf16.h"
#include "arith/functions.h"
#include "arith/quantize.h"
#include "model/oracle/mechanisms.h"
#include "model/oracle/oracle_arithmetic.h"
#include "model/selection.h"

namespace bolide::model {

std::vector<RoutedExpert> oracle::route(std::span<const float> logits, std::span<const float> bias, u32 n_used,
                                        float scale) {
  std::vector<float> p(logits.size());
  std::vector<float> biased(logits.size());
  for (std::size_t e = 0; e < p.size(); ++e) {
    p[e] = dialect::sqrt(arith::softplus(logits[e]));
    biased[e] = p[e] + bias[e];
  }
  const std::vector<u32> chosen = top_k(biased, n_used);
  float sum = 0.0f;
  for (const u32 expert : chosen) sum = sum + p[expert];
  sum = sum + 1e-20f;
  std::vector<RoutedExpert> routed;
  routed.reserve(chosen.size());
  for (const u32 expert : chosen) routed.push_back({expert, (p[expert] / sum) * scale});
  return routed;
}

float oracle::swiglu(float gate, float up, float weight, float limit) {
  const float g = gate > limit ? limit : gate;
  const float u = arith::clamp_magnitude(up, limit);
  return arith::bf16(weight * (arith::silu(g) * u));
}

std::vector<RoutedExpert> OracleArithmetic::route(std::span<const float> logits, std::span<const float> bias,
                                                  u32 n_used) const {
  return oracle::route(logits, bias, n_used, route_scale_);
}

void OracleArithmetic::swiglu(std::span<const float> gate, std::span<const float> up, float weight,
                              std::span<float> y) const {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = oracle::swiglu(gate[i], up[i], weight, swiglu_limit_);
}

}  // namespace bolide::model
