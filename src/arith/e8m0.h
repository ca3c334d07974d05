// Kernel dialect: E8M0, a power of two as a scale: byte b means 2^(b-127), 255 is NaN (spec: model.md 2.1).
#pragma once
#include "base/dialect.h"

namespace bolide {
namespace arith {

BOLIDE_FN bool e8m0_is_nan(u8 code) {
  return code == 255;
}

BOLIDE_FN float e8m0_value(u8 code) {
  if (code == 0) return dialect::from_bits(0x00400000u);  // 2^-127, a subnormal
  if (e8m0_is_nan(code)) return dialect::from_bits(0x7fc00000u);
  return dialect::from_bits(static_cast<u32>(code) << 23);
}

// The code of a normal power of two.
BOLIDE_FN u8 e8m0_code(float power_of_two) {
  return static_cast<u8>(dialect::bits(power_of_two) >> 23);
}

// The factor of MXFP4's doubled integers: half the scale; codes below 88 (2^-40 and less) count as weight 0 (rule 0).
BOLIDE_FN float mxfp4_factor(u8 code) {
  return code < 88 ? 0.0f : dialect::from_bits((static_cast<u32>(code) - 1u) << 23);
}

}  // namespace arith
}  // namespace bolide
