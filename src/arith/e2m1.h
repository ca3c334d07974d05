// Kernel dialect: E2M1 (FP4): 0, 0.5, 1, 1.5, 2, 3, 4, 6 and a sign in bit 3 (spec: model.md 2.1, 3.0).
#pragma once
#include "base/dialect.h"

namespace bolide {
namespace arith {

// Twice the value of a code: an integer from -12 to 12, as the exact block sums use it (design: arithmetic.md rule 2).
BOLIDE_FN i32 e2m1_doubled(u8 code) {
  const i32 exponent = (code >> 1) & 3;
  const i32 mantissa = code & 1;
  const i32 magnitude = exponent == 0 ? mantissa : (2 + mantissa) << (exponent - 1);
  return (code & 8) != 0 ? -magnitude : magnitude;
}

// The sign of zero is kept: code 8 is -0.
BOLIDE_FN float e2m1_value(u8 code) {
  const float magnitude = static_cast<float>(e2m1_doubled(code & 7u)) * 0.5f;
  return (code & 8) != 0 ? -magnitude : magnitude;
}

// The code nearest to x (|x| > 6 saturates), ties to the even code; the sign of zero is kept. x is not NaN.
BOLIDE_FN u8 e2m1_code(float x) {
  const float m = dialect::magnitude(x);
  const u32 code = static_cast<u32>(m > 0.25f) + static_cast<u32>(m >= 0.75f) + static_cast<u32>(m > 1.25f) +
                   static_cast<u32>(m >= 1.75f) + static_cast<u32>(m > 2.5f) + static_cast<u32>(m >= 3.5f) +
                   static_cast<u32>(m > 5.0f);
  return static_cast<u8>(code | ((dialect::bits(x) >> 28) & 8u));
}

}  // namespace arith
}  // namespace bolide
