#include "model/reference/dot.h"

#include <array>

namespace bolide::model {

float dot(std::span<const float> x, std::span<const float> y) {
  constexpr std::size_t kLanes = 8;
  std::array<float, kLanes> sum{};
  const std::size_t whole = x.size() / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sum[lane] += x[i + lane] * y[i + lane];
  }
  for (std::size_t i = whole; i < x.size(); ++i) sum[i - whole] += x[i] * y[i];
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) sum[lane] += sum[lane + half];
  }
  return sum[0];
}

float mean_square(std::span<const float> x) {
  return dot(x, x) / static_cast<float>(x.size());
}

}  // namespace bolide::model
