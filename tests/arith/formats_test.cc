// Every code of every number format, and every rounding decision next to it (spec model.md 3.0).
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "arith/bf16.h"
#include "arith/e2m1.h"
#include "arith/e4m3.h"
#include "arith/e8m0.h"
#include "arith/f16.h"

namespace bolide::arith {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

bool same_bits(float a, float b) {
  return std::bit_cast<u32>(a) == std::bit_cast<u32>(b);
}

// The value of a code from first principles: sign, exponent and mantissa fields of a small float.
double small_float(u32 code, int exponent_bits, int mantissa_bits, int bias) {
  const u32 mantissa = code & ((1u << mantissa_bits) - 1);
  const int exponent = static_cast<int>((code >> mantissa_bits) & ((1u << exponent_bits) - 1));
  const bool negative = (code >> (mantissa_bits + exponent_bits)) != 0;
  const double fraction = std::ldexp(static_cast<double>(mantissa), -mantissa_bits);
  const double magnitude = exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1.0 + fraction, exponent - bias);
  return negative ? -magnitude : magnitude;
}

// Checks an encoder between two neighbouring non-negative codes: both exact values, just below, at and above the
// middle. The tie goes to the even code.
template <class Code, class Encode>
void expect_nearest(Code low, float low_value, float high_value, Encode encode) {
  const Code high = static_cast<Code>(low + 1);
  const float middle = low_value + (high_value - low_value) / 2;  // exact: all formats have at most 11 significant bits
  EXPECT_EQ(encode(low_value), low);
  EXPECT_EQ(encode(high_value), high);
  EXPECT_EQ(encode(std::nextafter(middle, 0.0f)), low);
  EXPECT_EQ(encode(std::nextafter(middle, kInfinity)), high);
  EXPECT_EQ(encode(middle), low % 2 == 0 ? low : high);
}

TEST(E4M3, EveryCodeHasItsValueAndComesBack) {
  for (u32 code = 0; code < 256; ++code) {
    const float value = e4m3_value(static_cast<u8>(code));
    if ((code & 0x7f) == 0x7f) {
      EXPECT_TRUE(e4m3_is_nan(static_cast<u8>(code)));
      EXPECT_TRUE(std::isnan(value));
      continue;
    }
    EXPECT_FALSE(e4m3_is_nan(static_cast<u8>(code)));
    EXPECT_EQ(static_cast<double>(value), small_float(code, 4, 3, 7)) << code;
    EXPECT_EQ(std::signbit(value), code >= 128);
    EXPECT_EQ(e4m3_code(value), code);
  }
}

TEST(E4M3, RoundsToNearestWithTiesToEvenBetweenAllNeighbours) {
  for (u8 code = 0; code < 0x7e; ++code) {
    expect_nearest<u8>(code, e4m3_value(code), e4m3_value(static_cast<u8>(code + 1)), e4m3_code);
    EXPECT_EQ(e4m3_code(-e4m3_value(code)), code | 0x80);
  }
}

TEST(E4M3, SaturatesAndKeepsNanAndTheSignOfZero) {
  for (const float x : {448.0f, 449.0f, 464.0f, 480.0f, 1e30f, kInfinity}) {
    EXPECT_EQ(e4m3_code(x), 0x7e);
    EXPECT_EQ(e4m3_code(-x), 0xfe);
  }
  EXPECT_TRUE(e4m3_is_nan(e4m3_code(std::nanf(""))));
  EXPECT_EQ(e4m3_code(0.0f), 0x00);
  EXPECT_EQ(e4m3_code(-0.0f), 0x80);
  EXPECT_EQ(e4m3_code(-1e-30f), 0x80);
}

TEST(E2M1, EveryCodeHasItsValueAndComesBack) {
  const float values[8] = {0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f};
  for (u8 code = 0; code < 16; ++code) {
    const float wanted = code < 8 ? values[code] : -values[code - 8];
    EXPECT_TRUE(same_bits(e2m1_value(code), wanted)) << int{code};
    EXPECT_EQ(e2m1_doubled(code), static_cast<i32>(2 * wanted));
    EXPECT_EQ(e2m1_code(wanted), code);
  }
}

TEST(E2M1, RoundsToNearestWithTiesToEvenAndSaturates) {
  for (u8 code = 0; code < 7; ++code) {
    expect_nearest<u8>(code, e2m1_value(code), e2m1_value(static_cast<u8>(code + 1)), e2m1_code);
  }
  for (const float x : {6.0f, 7.0f, 1e30f}) {
    EXPECT_EQ(e2m1_code(x), 7);
    EXPECT_EQ(e2m1_code(-x), 15);
  }
}

TEST(E8M0, EveryCodeIsItsPowerOfTwo) {
  for (u32 code = 0; code < 255; ++code) {
    EXPECT_EQ(static_cast<double>(e8m0_value(static_cast<u8>(code))), std::ldexp(1.0, static_cast<int>(code) - 127));
    EXPECT_FALSE(e8m0_is_nan(static_cast<u8>(code)));
    if (code > 0) {
      EXPECT_EQ(e8m0_code(e8m0_value(static_cast<u8>(code))), code);
    }
  }
  EXPECT_TRUE(e8m0_is_nan(255));
  EXPECT_TRUE(std::isnan(e8m0_value(255)));
}

TEST(E8M0, Mxfp4FactorsBelowCode88CountAsZero) {
  for (u32 code = 0; code < 255; ++code) {
    const double wanted = code < 88 ? 0.0 : std::ldexp(1.0, static_cast<int>(code) - 128);
    EXPECT_EQ(static_cast<double>(mxfp4_factor(static_cast<u8>(code))), wanted) << code;
  }
}

TEST(F16, EveryCodeHasItsValueAndComesBack) {
  for (u32 code = 0; code < 0x10000; ++code) {
    const float value = f16_value(static_cast<u16>(code));
    const bool special = ((code >> 10) & 31) == 31;
    if (special && (code & 0x3ff) != 0) {
      EXPECT_TRUE(std::isnan(value));
      EXPECT_TRUE(std::isnan(f16_value(f16_code(value))));
      continue;
    }
    if (!special) {
      ASSERT_EQ(static_cast<double>(value), small_float(code, 5, 10, 15)) << code;
    }
    ASSERT_EQ(f16_code(value), code);
  }
}

TEST(F16, RoundsToNearestWithTiesToEvenBetweenAllNeighbours) {
  for (u32 code = 0; code < 0x7bff; ++code) {
    expect_nearest<u16>(static_cast<u16>(code), f16_value(static_cast<u16>(code)),
                        f16_value(static_cast<u16>(code + 1)), f16_code);
  }
  EXPECT_EQ(f16_code(65519.996f), 0x7bff);
  EXPECT_EQ(f16_code(65520.0f), 0x7c00);
  EXPECT_EQ(f16_code(-1e30f), 0xfc00);
}

TEST(Bf16, EveryCodeHasItsValueAndComesBack) {
  for (u32 code = 0; code < 0x10000; ++code) {
    const float value = bf16_value(static_cast<u16>(code));
    EXPECT_EQ(std::bit_cast<u32>(value), code << 16);
    if (!std::isnan(value)) {
      ASSERT_EQ(bf16_code(value), code);
    }
  }
}

TEST(Bf16, RoundsToNearestWithTiesToEvenOnTheBits) {
  for (u32 high = 0x0080; high < 0x7f80; ++high) {  // all normal numbers
    const auto encode = [](u32 bits) { return bf16_code(std::bit_cast<float>(bits)); };
    ASSERT_EQ(encode(high << 16 | 0x7fff), high);
    ASSERT_EQ(encode(high << 16 | 0x8000), high % 2 == 0 ? high : high + 1);
    ASSERT_EQ(encode(high << 16 | 0x8001), high + 1);
    ASSERT_EQ(encode(0x80000000u | high << 16 | 0x8001), 0x8000 | (high + 1));
  }
  EXPECT_EQ(bf16_code(kInfinity), 0x7f80);
}

// A NaN whose payload is only in the lower half must not become infinity.
TEST(Bf16, NanStaysNan) {
  for (const u32 bits : {0x7f800001u, 0xff800001u, 0x7fc00000u, 0x7fffffffu}) {
    EXPECT_TRUE(std::isnan(bf16(std::bit_cast<float>(bits))));
  }
}

TEST(Bf16, TheDoorTurnsWhatIsBelowTwoToMinus40IntoAZeroOfItsSign) {
  EXPECT_TRUE(same_bits(bf16(0x1p-40f), 0x1p-40f));
  EXPECT_TRUE(same_bits(bf16(std::nextafter(0x1p-40f, 0.0f)), 0.0f));
  EXPECT_TRUE(same_bits(bf16(-std::nextafter(0x1p-40f, 0.0f)), -0.0f));
  EXPECT_TRUE(same_bits(bf16(-1e-45f), -0.0f));
  EXPECT_TRUE(same_bits(bf16_nearest(0x1p-41f), 0x1p-41f));  // REF has no door
}

}  // namespace
}  // namespace bolide::arith
