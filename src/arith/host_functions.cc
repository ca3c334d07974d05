#include "arith/host_functions.h"

#include <bit>
#include <cmath>

namespace bolide::arith {

SinCos sincos(float angle) {
  // Quadrant n and the rest r = angle - n pi/2, pi/2 in two pieces; then two Taylor series of r.
  constexpr double kSinFactorials[8] = {1.0, 6.0, 120.0, 5040.0, 362880.0, 39916800.0, 6227020800.0, 1307674368000.0};
  constexpr double kCosFactorials[9] = {1.0,       2.0,         24.0,          720.0,           40320.0,
                                        3628800.0, 479001600.0, 87178291200.0, 20922789888000.0};
  const double x = angle;
  const double n = std::nearbyint(x * 0x1.45f306dc9c883p-1);
  double r = std::fma(-n, 0x1.921fb54442d18p+0, x);
  r = std::fma(-n, 0x1.1a62633145c07p-54, r);
  const double z = r * r;
  double s = 0;
  double c = 0;
  for (int k = 7; k >= 0; --k) s = std::fma(s, z, (k % 2 != 0 ? -1.0 : 1.0) / kSinFactorials[k]);
  for (int k = 8; k >= 0; --k) c = std::fma(c, z, (k % 2 != 0 ? -1.0 : 1.0) / kCosFactorials[k]);
  s = s * r;
  switch (static_cast<i64>(n) & 3) {
    case 0:
      return {static_cast<float>(s), static_cast<float>(c)};
    case 1:
      return {static_cast<float>(c), static_cast<float>(-s)};
    case 2:
      return {static_cast<float>(-s), static_cast<float>(-c)};
    default:
      return {static_cast<float>(-c), static_cast<float>(s)};
  }
}

std::array<float, 32> rope_frequencies(double base, const YarnParameters& yarn) {
  std::array<float, 32> frequencies;
  double step = base;
  for (int i = 0; i < 5; ++i) step = std::sqrt(step);
  double power = 1.0;
  for (float& frequency : frequencies) {
    frequency = 1.0f / static_cast<float>(power);
    power = power * step;
  }
  if (yarn.original_length <= 0) return frequencies;

  // The pair index at which a rotation count is reached; only its floor or ceiling matters, so std::log is safe here.
  const auto pair_of = [&](double rotations) {
    return 64.0 * std::log(yarn.original_length / (rotations * 2.0 * 3.14159265358979323846)) / (2.0 * std::log(base));
  };
  const float low = static_cast<float>(std::fmax(std::floor(pair_of(yarn.beta_fast)), 0.0));
  float high = static_cast<float>(std::fmin(std::ceil(pair_of(yarn.beta_slow)), 63.0));
  if (low == high) high += 0.001f;
  for (int i = 0; i < 32; ++i) {
    const float position = (static_cast<float>(i) - low) / (high - low);
    const float ramp = position < 0.0f ? 0.0f : (position > 1.0f ? 1.0f : position);
    const float smooth = 1.0f - ramp;
    const float stretched = frequencies[i] / static_cast<float>(yarn.factor);
    const float b = stretched * (1.0f - smooth);
    const float c = frequencies[i] * smooth;
    frequencies[i] = b + c;
  }
  return frequencies;
}

double log(double x) {
  const u64 bits = std::bit_cast<u64>(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0xfffffffffffffull) | 0x3ff0000000000000ull);
  if (m > 0x1.6a09e667f3bcdp+0) {  // above sqrt(2)
    m = m * 0.5;
    exponent = exponent + 1;
  }
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  double p = 0;
  for (int k = 10; k >= 0; --k) p = std::fma(p, z, 1.0 / static_cast<double>(2 * k + 1));
  return std::fma(static_cast<double>(exponent), 0x1.62e42fefa39efp-1, (s + s) * p);
}

float gumbel(u32 word) {
  const double u = (static_cast<double>(word >> 9) + 0.5) * 0x1p-23;
  return static_cast<float>(-log(-log(u)));
}

}  // namespace bolide::arith
