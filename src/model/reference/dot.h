// The sums that REF leaves unordered, in one fixed order.
#pragma once
#include <array>
#include <span>

#include "base/check.h"
#include "base/types.h"

namespace bolide::model {

// Sum of x[i] * y[i] in binary32. Eight accumulators take the elements i mod 8 in ascending order, so that the compiler
// can keep them in one vector register; they are folded in halves. Sizes are equal multiples of 8. Inline: most sums
// have 32 terms.
inline float dot(std::span<const float> x, std::span<const float> y) {
  constexpr std::size_t kLanes = 8;
  check(x.size() % kLanes == 0 && x.size() == y.size(), "every width of the model is a multiple of 32");
  std::array<float, kLanes> sum{};
  for (std::size_t i = 0; i < x.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sum[lane] += x[i + lane] * y[i + lane];
  }
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) sum[lane] += sum[lane + half];
  }
  return sum[0];
}

// The mean of x[i]^2.
inline float mean_square(std::span<const float> x) {
  return dot(x, x) / static_cast<float>(x.size());
}

}  // namespace bolide::model
