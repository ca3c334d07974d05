// Kernel dialect: the scales and codes of the quantizers Q8, Q4i, Q4k and of activations (spec: model.md 3.0; design:
// arithmetic.md rules 0 and 2). A group's maximum is taken over magnitudes; these functions turn it into a scale, and a
// value into a code.
#pragma once
#include "arith/bf16.h"
#include "arith/e2m1.h"
#include "arith/e4m3.h"
#include "arith/e8m0.h"

namespace bolide {
namespace arith {

// 2^ceil(log2 x) of a positive normal number, from the bits.
BOLIDE_FN float power_of_two_ceiling(float x) {
  return dialect::from_bits((dialect::bits(x) + 0x7fffffu) & 0x7f800000u);
}

BOLIDE_FN float clamp_magnitude(float x, float limit) {
  return x > limit ? limit : (x < -limit ? -limit : x);
}

// ---- Q8: window rows, 32 values a group; the stored scale is E8M0.
BOLIDE_FN float q8_scale(float max_magnitude) {
  const float a = max_magnitude > 1e-4f ? max_magnitude : 1e-4f;
  return power_of_two_ceiling(a * (1.0f / 448.0f));
}
BOLIDE_FN u8 q8_code(float x, float scale) {
  return e4m3_code(clamp_magnitude(dialect::div(x, scale), 448.0f));
}
BOLIDE_FN float q8_value(u8 code, float scale) {
  return bf16(e4m3_value(code) * scale);
}

// ---- Q4i: index queries and keys, 32 values a group; the stored scale is E8M0.
BOLIDE_FN float q4i_scale(float max_magnitude) {
  const float a = max_magnitude > 0x1.8p-124f ? max_magnitude : 0x1.8p-124f;  // 6 * 2^-126
  return power_of_two_ceiling(a * (1.0f / 6.0f));
}
BOLIDE_FN u8 q4i_code(float x, float scale) {
  const u32 b = dialect::bits(x);
  if ((b & 0x7fffffffu) < 0x00800000u) return static_cast<u8>((b >> 28) & 8u);  // below 2^-126: a zero of its sign
  return e2m1_code(clamp_magnitude(dialect::div(x, scale), 6.0f));
}

// ---- Q4k: compressed rows, 16 values a group; the scale is E4M3, not a power of two.
BOLIDE_FN u8 q4k_scale_code(float max_magnitude) {
  const float a = max_magnitude > 0x1.8p-7f ? max_magnitude : 0x1.8p-7f;  // 6 * 2^-9
  return e4m3_code(dialect::div(a, 6.0f));
}
BOLIDE_FN u8 q4k_code(float x, float scale) {
  return e2m1_code(clamp_magnitude(dialect::div(x, scale), 6.0f));
}

// Value of an FP4 code: exact, the BF16 rounding of the spec only turns an overflow into infinity.
BOLIDE_FN float q4_value(u8 code, float scale) {
  return bf16(e2m1_value(code) * scale);
}

// ---- Activations that enter a quantized matrix, 32 values a block (rule 2).
// Whether the block is all zeros: its maximum is below 2^-40.
BOLIDE_FN bool activation_is_zero(float max_magnitude) {
  return dialect::bits(max_magnitude) < 0x2b800000u;
}
BOLIDE_FN float activation_inverse(float max_magnitude) {
  return dialect::div(127.0f, max_magnitude);
}
BOLIDE_FN float activation_scale(float max_magnitude) {
  return dialect::div(max_magnitude, 127.0f);
}
BOLIDE_FN i32 activation_code(float x, float inverse) {
  return static_cast<i32>(dialect::rint(x * inverse));
}

}  // namespace arith
}  // namespace bolide
