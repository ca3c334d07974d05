// Kernel dialect: BF16, the type of every activation (spec: model.md 3.0; design: arithmetic.md rule 0).
#pragma once
#include "base/dialect.h"

namespace bolide {
namespace arith {

// The door of rule 0: |x| < 2^-40 becomes a zero of its sign, so that flushing of subnormals never matters.
BOLIDE_FN float flush_tiny(float x) {
  const u32 b = dialect::bits(x);
  return (b & 0x7fffffffu) < 0x2b800000u ? dialect::from_bits(b & 0x80000000u) : x;
}

// The BF16 code nearest to x, ties to even. NaN stays NaN, infinity stays infinity.
BOLIDE_FN u16 bf16_code(float x) {
  const u32 b = dialect::bits(x);
  if ((b & 0x7f800000u) == 0x7f800000u) {
    const u32 quiet = (b & 0x007fffffu) != 0 ? 0x00400000u : 0u;
    return static_cast<u16>((b | quiet) >> 16);
  }
  return static_cast<u16>((b + 0x7fffu + ((b >> 16) & 1u)) >> 16);
}

BOLIDE_FN float bf16_value(u16 code) {
  return dialect::from_bits(static_cast<u32>(code) << 16);
}

// x rounded to BF16 as REF rounds (no door).
BOLIDE_FN float bf16_nearest(float x) {
  return bf16_value(bf16_code(x));
}

// A1's bf16(): the door, then rounding.
BOLIDE_FN float bf16(float x) {
  return bf16_nearest(flush_tiny(x));
}

}  // namespace arith
}  // namespace bolide
