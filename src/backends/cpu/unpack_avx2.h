// Weights of a packed tile (formats/packed_layout.h), transposed in registers of AVX2: lane = row, four columns of the
// row in each lane.
//
// Only included by the kernels' own files (backends/cpu/lanes_scalar.h says why).
#pragma once
#include <array>
#include <cstddef>
#include <immintrin.h>

#include "base/types.h"

namespace bolide::backends::cpu {
namespace {

inline __m128i load(const std::byte* at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}
inline void store(u8* at, __m128i value) {
  _mm_store_si128(reinterpret_cast<__m128i*>(at), value);
}

// Four rows of 16 bytes, `stride` apart, to four groups of four columns with the four rows side by side.
inline std::array<__m128i, 4> transpose(const std::byte* codes, u64 stride) {
  const __m128i r0 = load(codes);
  const __m128i r1 = load(codes + stride);
  const __m128i r2 = load(codes + 2 * stride);
  const __m128i r3 = load(codes + 3 * stride);
  const __m128i low01 = _mm_unpacklo_epi32(r0, r1);
  const __m128i low23 = _mm_unpacklo_epi32(r2, r3);
  const __m128i high01 = _mm_unpackhi_epi32(r0, r1);
  const __m128i high23 = _mm_unpackhi_epi32(r2, r3);
  return {_mm_unpacklo_epi64(low01, low23), _mm_unpackhi_epi64(low01, low23), _mm_unpacklo_epi64(high01, high23),
          _mm_unpackhi_epi64(high01, high23)};
}

inline void unpack_q8_0(const std::byte* codes, u8* out) {
  for (u32 row = 0; row < 32; row += 4) {
    for (u32 half = 0; half < 2; ++half) {
      const std::array<__m128i, 4> groups = transpose(codes + u64{row} * 32 + half * 16, 32);
      for (u32 i = 0; i < 4; ++i) store(out + (half * 4 + i) * 128 + row * 4, groups[i]);
    }
  }
}

// `rows` rows; each byte holds an even and an odd column, looked up in `values`.
template <u32 rows>
void unpack_nibbles(const std::byte* codes, __m128i values, u8* out) {
  const __m128i mask = _mm_set1_epi8(15);
  for (u32 row = 0; row < rows; row += 4) {
    const std::array<__m128i, 4> pairs = transpose(codes + u64{row} * 16, 16);
    for (u32 i = 0; i < 4; ++i) {
      const __m128i even = _mm_and_si128(pairs[i], mask);
      const __m128i odd = _mm_and_si128(_mm_srli_epi16(pairs[i], 4), mask);
      store(out + 2 * i * rows * 4 + row * 4, _mm_shuffle_epi8(values, even));
      store(out + (2 * i + 1) * rows * 4 + row * 4, _mm_shuffle_epi8(values, odd));
    }
  }
}

// Twice the E2M1 value of each code.
inline __m128i mxfp4_values() {
  return _mm_setr_epi8(0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12);
}
inline __m128i plain_values() {
  return _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

}  // namespace
}  // namespace bolide::backends::cpu
