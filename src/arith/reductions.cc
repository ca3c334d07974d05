#include "arith/reductions.h"

#include <array>

#include "base/dialect.h"

namespace bolide::arith {
namespace {

constexpr std::size_t kAccumulators = 256;
using Accumulators = std::array<float, kAccumulators>;

float fold(Accumulators& p) {
  for (std::size_t half = kAccumulators / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) p[i] = p[i] + p[i + half];
  }
  return p[0];
}

}  // namespace

float ordered_sum(std::span<const float> x) {
  Accumulators p{};
  for (std::size_t i = 0; i < x.size(); ++i) p[i % kAccumulators] += x[i];
  return fold(p);
}

float ordered_sum_of_squares(std::span<const float> x) {
  return ordered_dot(x, x);
}

float ordered_dot(std::span<const float> x, std::span<const float> y) {
  Accumulators p{};
  for (std::size_t i = 0; i < x.size(); ++i) p[i % kAccumulators] = dialect::fma(x[i], y[i], p[i % kAccumulators]);
  return fold(p);
}

float max_magnitude(std::span<const float> x) {
  u32 largest = 0;
  for (const float value : x) {
    const u32 bits = dialect::bits(value) & 0x7fffffffu;
    if (bits > largest) largest = bits;
  }
  return dialect::from_bits(largest);
}

}  // namespace bolide::arith
