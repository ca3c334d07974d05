// The functions of A1 that only hosts compute, in binary64, each result rounded once to binary32
// (design: a1-functions.h; arithmetic.md rules 1 and 8). Own code, because libraries differ in the last bit.
#pragma once
#include <array>

#include "base/types.h"

namespace bolide::arith {

struct SinCos {
  float sin;
  float cos;
};

// Of a binary32 angle >= 0, up to about 1e6 rad.
SinCos sincos(float angle);

// YaRN stretches the rope of layers with compressed caches (spec: model.md 3.0). original_length = 0: no YaRN.
struct YarnParameters {
  double factor;
  double beta_fast;
  double beta_slow;
  double original_length;
};

// The 32 rotation frequencies of a base: 1 / base^(i/32) by five square roots and repeated products, then YaRN in
// binary32.
std::array<float, 32> rope_frequencies(double base, const YarnParameters& yarn);

// Natural logarithm of a positive normal number.
double log(double x);

// Gumbel noise of one random word: u = (word >> 9 + 0.5) * 2^-23 is exact and inside (0, 1).
float gumbel(u32 word);

}  // namespace bolide::arith
