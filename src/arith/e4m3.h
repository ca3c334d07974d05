// Kernel dialect: E4M3 (FP8), finite range +-448; 0x7f and 0xff are NaN (spec: model.md 2.1, 3.0).
#pragma once
#include "base/dialect.h"

namespace bolide {
namespace arith {

BOLIDE_FN bool e4m3_is_nan(u8 code) {
  return (code & 0x7fu) == 0x7fu;
}

BOLIDE_FN float e4m3_value(u8 code) {
  const u32 sign = static_cast<u32>(code & 0x80u) << 24;
  const u32 exponent = (code >> 3) & 15u;
  const u32 mantissa = code & 7u;
  if (e4m3_is_nan(code)) return dialect::from_bits(sign | 0x7fc00000u);
  if (exponent != 0) return dialect::from_bits(sign | ((exponent + 120) << 23) | (mantissa << 20));
  const float magnitude = static_cast<float>(mantissa) * 0x1p-9f;
  return dialect::from_bits(sign | dialect::bits(magnitude));
}

// The code nearest to x, ties to even, saturating at +-448; the sign of zero is kept; NaN gives a NaN code.
BOLIDE_FN u8 e4m3_code(float x) {
  const u32 b = dialect::bits(x);
  const u32 sign = (b >> 24) & 0x80u;
  const u32 magnitude = b & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<u8>(sign | 0x7fu);
  if (magnitude >= 0x43e00000u) return static_cast<u8>(sign | 0x7eu);  // 448 and above
  if (magnitude >= 0x3c800000u) {                                      // 2^-6 and above: a normal E4M3
    return static_cast<u8>(sign | ((magnitude - (120u << 23) + 0x7ffffu + ((magnitude >> 20) & 1u)) >> 20));
  }
  return static_cast<u8>(sign | static_cast<u32>(dialect::rint(dialect::from_bits(magnitude) * 512.0f)));
}

}  // namespace arith
}  // namespace bolide
