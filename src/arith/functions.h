// Kernel dialect: the elementary functions of A1 (design: a1-functions.h is their definition; arithmetic.md rule 1).
// The bits must stay. Largest errors against binary64: exp 0.88 ulp, log1p 1.92, sigmoid 2.13, softplus 2.72.
#pragma once
#include "base/dialect.h"

namespace bolide {
namespace arith {

// e^x for x <= 64; 0 below -64 (and for NaN: scores are checked before). exp(0) is exactly 1.
BOLIDE_FN float exp(float x) {
  if (!(x >= -64.0f)) return 0.0f;
  const float n = dialect::rint(x * 0x1.715476p+0f);  // x / ln 2
  float r = dialect::fma(n, -0x1.62e4p-1f, x);        // x - n ln 2, in two pieces
  r = dialect::fma(n, -0x1.7f7d1cp-20f, r);
  float p = 0x1.6a2434p-10f;
  p = dialect::fma(p, r, 0x1.1239e2p-7f);
  p = dialect::fma(p, r, 0x1.5558f2p-5f);
  p = dialect::fma(p, r, 0x1.555492p-3f);
  p = dialect::fma(p, r, 0x1.fffffcp-2f);
  p = dialect::fma(p, r, 1.0f);
  p = dialect::fma(p, r, 1.0f);
  return p * dialect::from_bits(static_cast<u32>(static_cast<i32>(n) + 127) << 23);
}

// ln(1 + t) for 0 <= t <= 1.
BOLIDE_FN float log1p(float t) {
  const float s = dialect::div(t, 2.0f + t);
  const float u = s + s;
  const float z = s * s;
  float p = 0x1.1ef87p-3f;
  p = dialect::fma(p, z, 0x1.1eb612p-3f);
  p = dialect::fma(p, z, 0x1.99d27cp-3f);
  p = dialect::fma(p, z, 0x1.5555p-2f);
  return dialect::fma(u * z, p, u);
}

BOLIDE_FN float sigmoid(float x) {
  const float e = exp(-dialect::magnitude(x));
  return dialect::div(x >= 0.0f ? 1.0f : e, 1.0f + e);
}

BOLIDE_FN float silu(float x) {
  return x * sigmoid(x);
}

BOLIDE_FN float softplus(float x) {
  if (x > 20.0f) return x;
  return (x > 0.0f ? x : 0.0f) + log1p(exp(-dialect::magnitude(x)));
}

// Two rounded operations, never a hardware reciprocal square root.
BOLIDE_FN float rsqrt(float x) {
  return dialect::div(1.0f, dialect::sqrt(x));
}

}  // namespace arith
}  // namespace bolide
