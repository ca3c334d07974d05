// Kernel dialect: F16, a storage format only (scales of Q8_0 and Q4_K, some GGUF weights). Integer code, so that flush
// modes never matter.
#pragma once
#include "base/dialect.h"

namespace bolide {
namespace arith {

BOLIDE_FN float f16_value(u16 code) {
  const u32 sign = static_cast<u32>(code & 0x8000u) << 16;
  const u32 exponent = (code >> 10) & 31u;
  const u32 mantissa = code & 0x3ffu;
  if (exponent == 31) return dialect::from_bits(sign | 0x7f800000u | (mantissa << 13));
  if (exponent != 0) return dialect::from_bits(sign | ((exponent + 112) << 23) | (mantissa << 13));
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;  // exact: zero or at least 2^-24
  return dialect::from_bits(sign | dialect::bits(magnitude));
}

// The F16 code nearest to x, ties to even; infinity from 65,520 on.
BOLIDE_FN u16 f16_code(float x) {
  const u32 b = dialect::bits(x);
  const u32 sign = (b >> 16) & 0x8000u;
  const u32 magnitude = b & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<u16>(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u) return static_cast<u16>(sign | 0x7c00u);  // 65,520 and above
  if (magnitude >= 0x38800000u) {                                         // 2^-14 and above: a normal F16
    return static_cast<u16>(sign | ((magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13));
  }
  if (magnitude < 0x33000000u) return static_cast<u16>(sign);  // below 2^-25: zero
  // A subnormal F16: the mantissa with its hidden bit, shifted to units of 2^-24, rounded to even.
  const u32 mantissa = (magnitude & 0x7fffffu) | 0x800000u;
  const u32 shift = 126u - (magnitude >> 23);
  const u32 half = 1u << (shift - 1);
  const u32 rounded = (mantissa + half - 1 + ((mantissa >> shift) & 1u)) >> shift;
  return static_cast<u16>(sign | rounded);
}

}  // namespace arith
}  // namespace bolide
