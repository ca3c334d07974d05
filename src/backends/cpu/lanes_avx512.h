// Sixteen lanes of AVX-512 (what a set of lanes is: backends/cpu/lanes_scalar.h).
#pragma once
#include <immintrin.h>

#include "base/types.h"

namespace bolide::backends::cpu {
namespace {

struct Avx512Lanes {
  using Float = __m512;
  using Int = __m512i;
  using Mask = __mmask16;
  static constexpr u32 kWidth = 16;
  static constexpr u32 kRegisters = 32;

  static Float load(const float* at) { return _mm512_loadu_ps(at); }
  static Float load_bf16(const u16* at) { return from_bits(shift_left<16>(load_u16(at))); }
  static void store(float* at, Float a) { _mm512_storeu_ps(at, a); }
  static Float set(float a) { return _mm512_set1_ps(a); }
  static Int set_bits(u32 a) { return _mm512_set1_epi32(static_cast<i32>(a)); }

  static Float add(Float a, Float b) { return _mm512_add_ps(a, b); }
  static Float sub(Float a, Float b) { return _mm512_sub_ps(a, b); }
  static Float mul(Float a, Float b) { return _mm512_mul_ps(a, b); }
  static Float div(Float a, Float b) { return _mm512_div_ps(a, b); }
  static Float fma(Float a, Float b, Float c) { return _mm512_fmadd_ps(a, b, c); }
  static Float rint(Float a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
  static Float max(Float a, Float b) { return _mm512_max_ps(a, b); }

  static Int bits(Float a) { return _mm512_castps_si512(a); }
  static Float from_bits(Int a) { return _mm512_castsi512_ps(a); }
  static Int both(Int a, Int b) { return _mm512_and_si512(a, b); }
  static Int either(Int a, Int b) { return _mm512_or_si512(a, b); }
  static Int add(Int a, Int b) { return _mm512_add_epi32(a, b); }
  static Int sub(Int a, Int b) { return _mm512_sub_epi32(a, b); }
  static Int max(Int a, Int b) { return _mm512_max_epi32(a, b); }
  template <u32 n>
  static Int shift_left(Int a) {
    return _mm512_slli_epi32(a, n);
  }
  template <u32 n>
  static Int shift_right(Int a) {
    return _mm512_srli_epi32(a, n);
  }
  static Float to_float(Int a) { return _mm512_cvtepi32_ps(a); }
  static Int to_int(Float a) { return _mm512_cvttps_epi32(a); }

  static Mask greater(Float a, Float b) { return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ); }
  static Mask not_less(Float a, Float b) { return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ); }
  static Mask less(Int a, Int b) { return _mm512_cmplt_epi32_mask(a, b); }
  static Float select(Mask m, Float a, Float b) { return _mm512_mask_blend_ps(m, b, a); }
  static Int select(Mask m, Int a, Int b) { return _mm512_mask_blend_epi32(m, b, a); }

  static u32 largest(Int a) { return static_cast<u32>(_mm512_reduce_max_epi32(a)); }
  static i32 total(Int a) { return _mm512_reduce_add_epi32(a); }

  static Int load_u8(const void* at) { return _mm512_cvtepu8_epi32(_mm_loadu_si128(static_cast<const __m128i*>(at))); }
  static Int load_u16(const void* at) {
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256(static_cast<const __m256i*>(at)));
  }
  static void store_u8(void* at, Int a) { _mm_storeu_si128(static_cast<__m128i*>(at), _mm512_cvtepi32_epi8(a)); }
  static void store_u16(void* at, Int a) { _mm256_storeu_si256(static_cast<__m256i*>(at), _mm512_cvtepi32_epi16(a)); }
  static Int load_nibbles(const void* at) {
    const __m128i pairs = _mm_loadl_epi64(static_cast<const __m128i*>(at));
    const __m128i high = _mm_srli_epi16(pairs, 4);
    const __m512i apart = _mm512_cvtepu8_epi32(_mm_unpacklo_epi8(pairs, high));
    return both(apart, set_bits(15));
  }
};

}  // namespace
}  // namespace bolide::backends::cpu
