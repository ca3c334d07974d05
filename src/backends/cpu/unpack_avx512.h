// Weights of sixteen rows of a packed tile (formats/packed_layout.h), transposed in registers of AVX-512: lane = row,
// four columns of the row in each lane.
//
// Only included by the kernels' own files (backends/cpu/lanes_scalar.h says why).
#pragma once
#include <array>
#include <cstddef>
#include <immintrin.h>

#include "base/types.h"

namespace bolide::backends::cpu {
namespace {

// A stage of a transposition by vpermt2d. Lanes of both registers are numbered by four bits; the stage takes bit
// `picked` out of the lane number (it tells which output register) and puts the register's number in front.
struct Stage {
  alignas(64) std::array<u32, 16> low;   // the output whose picked bit is 0
  alignas(64) std::array<u32, 16> high;  // whose picked bit is 1
};

constexpr Stage stage(u32 picked) {
  Stage stage{};
  for (u32 lane = 0; lane < 16; ++lane) {
    const u32 source = lane >> 3;
    const u32 rest = lane & 7;  // the other three bits of the input lane, high first
    const u32 below = rest & ((1u << picked) - 1);
    const u32 above = rest >> picked << (picked + 1);
    stage.low[lane] = source * 16 + above + below;
    stage.high[lane] = stage.low[lane] + (1u << picked);
  }
  return stage;
}

constexpr std::array<Stage, 3> kStages = {stage(0), stage(1), stage(2)};

// Registers a and b, of which b's number has the stage's bit set, become a (picked bit 0) and b (picked bit 1).
inline void exchange(__m512i& a, __m512i& b, const Stage& stage) {
  const __m512i low = _mm512_permutex2var_epi32(a, _mm512_load_si512(stage.low.data()), b);
  b = _mm512_permutex2var_epi32(a, _mm512_load_si512(stage.high.data()), b);
  a = low;
}

inline __m512i load(const std::byte* at) {
  return _mm512_loadu_si512(at);
}
inline void store(u8* at, __m512i value) {
  _mm512_store_si512(at, value);
}

// 16 rows of 32 bytes to 8 groups of four columns with the 16 rows side by side.
inline void unpack_q8_0(const std::byte* codes, u8* out) {
  const __m512i sign = _mm512_set1_epi8(-128);
  std::array<__m512i, 8> z;
  for (u32 i = 0; i < 8; ++i) z[i] = _mm512_xor_si512(load(codes + i * 64), sign);
  // Register i holds rows 2i and 2i+1. The group's bits take the place of the row's bits in the register number.
  for (u32 i = 0; i < 8; i += 2) exchange(z[i], z[i + 1], kStages[2]);
  for (const u32 i : {0, 1, 4, 5}) exchange(z[i], z[i + 2], kStages[1]);
  for (u32 i = 0; i < 4; ++i) exchange(z[i], z[i + 4], kStages[0]);
  // Register bits (low first) are now the group's bits 2, 1, 0.
  constexpr std::array<u32, 8> kGroup = {0, 4, 2, 6, 1, 5, 3, 7};
  for (u32 i = 0; i < 8; ++i) store(out + kGroup[i] * 128, z[i]);
}

// 16 rows of 16 bytes likewise, to their places among `rows` rows; each byte holds an even and an odd column, looked up
// in `values`.
template <u32 rows>
void unpack_nibbles(const std::byte* codes, __m512i values, u8* out) {
  const __m512i mask = _mm512_set1_epi8(15);
  std::array<__m512i, 4> z;
  for (u32 i = 0; i < 4; ++i) z[i] = load(codes + i * 64);
  for (u32 i = 0; i < 4; i += 2) exchange(z[i], z[i + 1], kStages[1]);
  for (u32 i = 0; i < 2; ++i) exchange(z[i], z[i + 2], kStages[0]);
  constexpr std::array<u32, 4> kPair = {0, 2, 1, 3};
  for (u32 i = 0; i < 4; ++i) {
    const __m512i even = _mm512_and_si512(z[i], mask);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi16(z[i], 4), mask);
    store(out + 2 * kPair[i] * rows * 4, _mm512_shuffle_epi8(values, even));
    store(out + (2 * kPair[i] + 1) * rows * 4, _mm512_shuffle_epi8(values, odd));
  }
}

// Twice the E2M1 value, plus 12, of each code.
inline __m512i mxfp4_values() {
  return _mm512_broadcast_i32x4(_mm_setr_epi8(12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0));
}
inline __m512i plain_values() {
  return _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

}  // namespace
}  // namespace bolide::backends::cpu
