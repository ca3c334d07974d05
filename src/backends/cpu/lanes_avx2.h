// Eight lanes of AVX2 (what a set of lanes is: backends/cpu/lanes_scalar.h).
#pragma once
#include <immintrin.h>

#include "base/types.h"

namespace bolide::backends::cpu {
namespace {

struct Avx2Lanes {
  using Float = __m256;
  using Int = __m256i;
  using Mask = __m256i;  // all bits of a lane, or none
  static constexpr u32 kWidth = 8;
  static constexpr u32 kRegisters = 16;

  static Float load(const float* at) { return _mm256_loadu_ps(at); }
  static Float load_bf16(const u16* at) { return from_bits(shift_left<16>(load_u16(at))); }
  static void store(float* at, Float a) { _mm256_storeu_ps(at, a); }
  static Float set(float a) { return _mm256_set1_ps(a); }
  static Int set_bits(u32 a) { return _mm256_set1_epi32(static_cast<i32>(a)); }

  static Float add(Float a, Float b) { return _mm256_add_ps(a, b); }
  static Float sub(Float a, Float b) { return _mm256_sub_ps(a, b); }
  static Float mul(Float a, Float b) { return _mm256_mul_ps(a, b); }
  static Float div(Float a, Float b) { return _mm256_div_ps(a, b); }
  static Float fma(Float a, Float b, Float c) { return _mm256_fmadd_ps(a, b, c); }
  static Float rint(Float a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
  static Float max(Float a, Float b) { return _mm256_max_ps(a, b); }

  static Int bits(Float a) { return _mm256_castps_si256(a); }
  static Float from_bits(Int a) { return _mm256_castsi256_ps(a); }
  static Int both(Int a, Int b) { return _mm256_and_si256(a, b); }
  static Int either(Int a, Int b) { return _mm256_or_si256(a, b); }
  static Int add(Int a, Int b) { return _mm256_add_epi32(a, b); }
  static Int sub(Int a, Int b) { return _mm256_sub_epi32(a, b); }
  static Int max(Int a, Int b) { return _mm256_max_epi32(a, b); }
  template <u32 n>
  static Int shift_left(Int a) {
    return _mm256_slli_epi32(a, n);
  }
  template <u32 n>
  static Int shift_right(Int a) {
    return _mm256_srli_epi32(a, n);
  }
  static Float to_float(Int a) { return _mm256_cvtepi32_ps(a); }
  static Int to_int(Float a) { return _mm256_cvttps_epi32(a); }

  static Mask greater(Float a, Float b) { return bits(_mm256_cmp_ps(a, b, _CMP_GT_OQ)); }
  static Mask not_less(Float a, Float b) { return bits(_mm256_cmp_ps(a, b, _CMP_GE_OQ)); }
  static Mask less(Int a, Int b) { return _mm256_cmpgt_epi32(b, a); }
  static Float select(Mask m, Float a, Float b) { return _mm256_blendv_ps(b, a, from_bits(m)); }
  static Int select(Mask m, Int a, Int b) { return _mm256_blendv_epi8(b, a, m); }

  static u32 largest(Int a) {
    __m128i m = _mm_max_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0x4e));
    m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0xb1));
    return static_cast<u32>(_mm_cvtsi128_si32(m));
  }
  static i32 total(Int a) {
    __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1));
    return _mm_cvtsi128_si32(sum);
  }

  static Int load_u8(const void* at) { return _mm256_cvtepu8_epi32(_mm_loadl_epi64(static_cast<const __m128i*>(at))); }
  static Int load_u16(const void* at) {
    return _mm256_cvtepu16_epi32(_mm_loadu_si128(static_cast<const __m128i*>(at)));
  }
  static void store_u8(void* at, Int a) {
    const __m128i halves = to_16_bits(both(a, set_bits(0xff)));
    _mm_storel_epi64(static_cast<__m128i*>(at), _mm_packus_epi16(halves, halves));
  }
  static void store_u16(void* at, Int a) {
    _mm_storeu_si128(static_cast<__m128i*>(at), to_16_bits(both(a, set_bits(0xffff))));
  }
  static Int load_nibbles(const void* at) {
    const __m128i pairs = _mm_loadu_si32(at);
    const __m128i high = _mm_srli_epi16(pairs, 4);
    return both(_mm256_cvtepu8_epi32(_mm_unpacklo_epi8(pairs, high)), set_bits(15));
  }

 private:
  static __m128i to_16_bits(Int a) {
    return _mm_packus_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
  }
};

}  // namespace
}  // namespace bolide::backends::cpu
