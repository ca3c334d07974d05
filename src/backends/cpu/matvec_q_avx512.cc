// Rows times a quantized matrix with AVX-512 VNNI (backends/cpu/matvec_q.h). Lane = row of the matrix. vpdpbusd takes
// unsigned weights, so they carry an offset, which the start of each block's integer sum takes away again.
#if defined(__x86_64__)
#include <immintrin.h>

#include "backends/cpu/matvec_q_sets.h"
#include "backends/cpu/matvec_q_tiles.h"
#include "backends/cpu/unpack_avx512.h"

namespace bolide::backends::cpu {
namespace {

using model::MatrixType;

__m512 f16_values(const std::byte* at) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
}

// Scale codes below 88 count as weight 0, others are 2^(e-128).
__m512 mxfp4_factors(const std::byte* at) {
  const __m512i code = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
  const __mmask16 counts = _mm512_cmpge_epu32_mask(code, _mm512_set1_epi32(88));
  const __m512i bits = _mm512_slli_epi32(_mm512_sub_epi32(code, _mm512_set1_epi32(1)), 23);
  return _mm512_castsi512_ps(_mm512_maskz_mov_epi32(counts, bits));
}

// Sixteen pairs of F16 {d, dmin} and of bytes {scale, min}.
void q4_k_factors(const std::byte* super, const std::byte* small, float* factors, float* minimum_factors) {
  const __m512i pairs = load(super);
  const __m256i d = _mm512_cvtepi32_epi16(pairs);
  const __m256i d_min = _mm512_cvtepi32_epi16(_mm512_srli_epi32(pairs, 16));
  const __m512i bytes = _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(small)));
  const __m512 scale = _mm512_cvtepi32_ps(_mm512_and_si512(bytes, _mm512_set1_epi32(255)));
  const __m512 minimum = _mm512_cvtepi32_ps(_mm512_srli_epi32(bytes, 8));
  _mm512_store_ps(factors, _mm512_mul_ps(_mm512_cvtph_ps(d), scale));
  _mm512_store_ps(minimum_factors, _mm512_mul_ps(_mm512_cvtph_ps(d_min), minimum));
}

struct Avx512 {
  static constexpr u32 kRowsAtOnce = 6;

  static void unpack(const model::Matrix& w, u32 tile, const Run& run, MatvecWorkspace& workspace) {
    const u64 first = u64{tile} * (w.k / 32) + run.first;  // in blocks of 32 rows
    u8* out = workspace.weights.data();
    float* factors = workspace.factors.data();
    for (u32 b = 0; b < run.end - run.first; ++b) {
      for (u32 half = 0; half < 2; ++half) {
        u8* weights = out + b * 1024 + half * 64;
        float* at = factors + b * 32 + half * 16;
        const u64 row = (first + b) * 32 + half * 16;
        if (w.type == MatrixType::kQ8_0) {
          unpack_q8_0(&w.codes[row * 32], weights);
          _mm512_store_ps(at, f16_values(&w.scales[row * 2]));
        } else if (w.type == MatrixType::kMxfp4) {
          unpack_nibbles<32>(&w.codes[row * 16], mxfp4_values(), weights);
          _mm512_store_ps(at, mxfp4_factors(&w.scales[row]));
        } else {
          unpack_nibbles<32>(&w.codes[row * 16], plain_values(), weights);
          const Q4KScales scales = q4_k_scales(w);
          const u64 super = u64{tile} * (w.k / 256) + (run.first + b) / 8;
          q4_k_factors(scales.super + (super * 32 + half * 16) * 4, scales.blocks + row * 2, at,
                       workspace.minimum_factors.data() + b * 32 + half * 16);
        }
      }
    }
  }

  template <u32 n_rows, bool minimum>
  static void multiply(const ActivationRows& x, u32 first_row, const Run& run, MatvecWorkspace& workspace) {
    float* segment = workspace.segment.data() + u64{first_row} * 32;
    float* total = workspace.total.data() + u64{first_row} * 32;
    for (Part part = part_at(run, run.first);; part = part_at(run, part.end)) {
      Sums<n_rows> sums;
      for (u32 i = 0; i < 2 * n_rows; ++i) {
        sums[i] = part.begins_segment ? _mm512_setzero_ps() : _mm512_loadu_ps(segment + i * 16);
      }
      for (u32 block = part.first; block < part.end; ++block) {
        add_block<n_rows, minimum>(x, first_row, block, block - run.first, workspace, sums);
      }
      for (u32 i = 0; i < 2 * n_rows; ++i) {
        float* at = (part.ends_segment ? total : segment) + i * 16;
        _mm512_storeu_ps(at, part.ends_segment ? _mm512_add_ps(_mm512_loadu_ps(at), sums[i]) : sums[i]);
      }
      if (part.end == run.end) return;
    }
  }

 private:
  // Of each activation row two registers: matrix rows 0-15 and 16-31 of the tile.
  template <u32 n_rows>
  using Sums = std::array<__m512, 2 * n_rows>;

  // Block `block` of the activation rows, which is number `at` of the unpacked run.
  template <u32 n_rows, bool minimum>
  static void add_block(const ActivationRows& x, u32 first_row, u32 block, u32 at, const MatvecWorkspace& workspace,
                        Sums<n_rows>& sums) {
    const u8* weights = workspace.weights.data() + at * 1024;
    std::array<__m512i, 2 * n_rows> isums;
    for (u32 r = 0; r < n_rows; ++r) {
      isums[2 * r] = _mm512_set1_epi32(x.starts(first_row + r)[block]);
      isums[2 * r + 1] = isums[2 * r];
    }
    for (u32 group = 0; group < 8; ++group) {
      const __m512i w0 = _mm512_load_si512(weights + group * 128);
      const __m512i w1 = _mm512_load_si512(weights + group * 128 + 64);
      for (u32 r = 0; r < n_rows; ++r) {
        i32 four;
        __builtin_memcpy(&four, x.codes(first_row + r) + u64{block} * 32 + group * 4, 4);
        const __m512i columns = _mm512_set1_epi32(four);
        isums[2 * r] = _mm512_dpbusd_epi32(isums[2 * r], w0, columns);
        isums[2 * r + 1] = _mm512_dpbusd_epi32(isums[2 * r + 1], w1, columns);
      }
    }
    for (u32 r = 0; r < n_rows; ++r) {
      const __m512 dx = _mm512_set1_ps(x.factors(first_row + r)[block]);
      for (u32 half = 0; half < 2; ++half) {
        const u32 lanes = at * 32 + half * 16;
        __m512& sum = sums[2 * r + half];
        const __m512 dw = _mm512_load_ps(workspace.factors.data() + lanes);
        sum = _mm512_fmadd_ps(_mm512_cvtepi32_ps(isums[2 * r + half]), _mm512_mul_ps(dx, dw), sum);
        if constexpr (minimum) {
          const __m512 xsum = _mm512_set1_ps(static_cast<float>(-x.sums(first_row + r)[block]));
          const __m512 m = _mm512_load_ps(workspace.minimum_factors.data() + lanes);
          sum = _mm512_fmadd_ps(xsum, _mm512_mul_ps(dx, m), sum);
        }
      }
    }
  }
};

}  // namespace

void matvec_q_avx512(const model::Matrix& w, TileRange tiles, const ActivationRows& x, MatvecWorkspace& workspace,
                     float* y, u64 y_stride) {
  multiply_tiles<Avx512>(w, tiles, x, workspace, y, y_stride);
}

}  // namespace bolide::backends::cpu
#endif
