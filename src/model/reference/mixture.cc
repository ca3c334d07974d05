// Router and expert activation (spec model.md 3.9).
#include <algorithm>
#include <cmath>
#include <limits>

#include "arith/bf16.h"
#include "model/reference/functions.h"
#include "model/reference/reference_arithmetic.h"

namespace bolide::model {
namespace {

// The numbers of the n largest scores, ascending; among equal ones the lower number, NaN above everything.
std::vector<u32> largest(std::span<const float> scores, u32 n) {
  const auto rank = [&](u32 i) { return std::isnan(scores[i]) ? std::numeric_limits<float>::infinity() : scores[i]; };
  std::vector<u32> order(scores.size());
  for (u32 i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](u32 a, u32 b) { return rank(a) != rank(b) ? rank(a) > rank(b) : a < b; });
  order.resize(n);
  std::ranges::sort(order);
  return order;
}

}  // namespace

// The bias steers the choice and does not enter the weights.
std::vector<RoutedExpert> ReferenceArithmetic::route(std::span<const float> logits, std::span<const float> bias,
                                                     u32 n_used) const {
  std::vector<float> p(logits.size());
  std::vector<float> scores(logits.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    p[i] = std::sqrt(softplus(finite_or_nan(logits[i])));
    scores[i] = p[i] + bias[i];
  }
  const std::vector<u32> chosen = largest(scores, n_used);
  float sum = 0;
  for (const u32 expert : chosen) sum += p[expert];
  std::vector<RoutedExpert> routed;
  routed.reserve(n_used);
  for (const u32 expert : chosen) routed.push_back({expert, p[expert] / (sum + 1e-20f) * route_scale_});
  return routed;
}

void ReferenceArithmetic::swiglu(std::span<const float> gate, std::span<const float> up, float weight,
                                 std::span<float> y) const {
  for (std::size_t i = 0; i < y.size(); ++i) {
    const float u = std::clamp(finite_or_nan(up[i]), -swiglu_limit_, swiglu_limit_);
    const float g = std::min(finite_or_nan(gate[i]), swiglu_limit_);
    const float activated = g * sigmoid(g) * u;
    y[i] = arith::bf16_nearest(weight * activated);
  }
}

}  // namespace bolide::model
