// Rows times a quantized matrix with AVX2 (backends/cpu/matvec_q.h). Lane = row of the matrix. vpmaddubsw wants an
// unsigned and a signed factor: the weight's magnitude, and the activation with the weight's sign; 2 * 128 * 127 still
// fits its 16 bits.
#if defined(__x86_64__)
#include <immintrin.h>

#include "backends/cpu/matvec_q_sets.h"
#include "backends/cpu/matvec_q_tiles.h"
#include "backends/cpu/unpack_avx2.h"

namespace bolide::backends::cpu {
namespace {

using model::MatrixType;

// Eight F16 values.
__m256 f16_values(const std::byte* at) {
  return _mm256_cvtph_ps(load(at));
}

__m256 mxfp4_factors(const std::byte* at) {
  const __m256i code = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(at)));
  const __m256i counts = _mm256_cmpgt_epi32(code, _mm256_set1_epi32(87));
  const __m256i bits = _mm256_slli_epi32(_mm256_sub_epi32(code, _mm256_set1_epi32(1)), 23);
  return _mm256_castsi256_ps(_mm256_and_si256(bits, counts));
}

// The low and the high halves of eight 32-bit numbers, as eight 16-bit ones.
__m128i low_halves(__m256i pairs) {
  const __m256i low = _mm256_and_si256(pairs, _mm256_set1_epi32(0xffff));
  return _mm_packus_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
}
__m128i high_halves(__m256i pairs) {
  return low_halves(_mm256_srli_epi32(pairs, 16));
}

void q4_k_factors(const std::byte* super, const std::byte* small, float* factors, float* minimum_factors) {
  const __m256i pairs = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(super));
  const __m256i bytes = _mm256_cvtepu16_epi32(load(small));
  const __m256 scale = _mm256_cvtepi32_ps(_mm256_and_si256(bytes, _mm256_set1_epi32(255)));
  const __m256 minimum = _mm256_cvtepi32_ps(_mm256_srli_epi32(bytes, 8));
  _mm256_store_ps(factors, _mm256_mul_ps(_mm256_cvtph_ps(low_halves(pairs)), scale));
  _mm256_store_ps(minimum_factors, _mm256_mul_ps(_mm256_cvtph_ps(high_halves(pairs)), minimum));
}

struct Avx2 {
  static constexpr u32 kRowsAtOnce = 4;

  static void unpack(const model::Matrix& w, u32 tile, const Run& run, MatvecWorkspace& workspace) {
    const u64 first = u64{tile} * (w.k / 32) + run.first;
    for (u32 b = 0; b < run.end - run.first; ++b) {
      const u64 row = (first + b) * 32;
      u8* weights = workspace.weights.data() + b * 1024;
      if (w.type == MatrixType::kQ8_0) {
        unpack_q8_0(&w.codes[row * 32], weights);
      } else {
        unpack_nibbles<32>(&w.codes[row * 16], w.type == MatrixType::kMxfp4 ? mxfp4_values() : plain_values(), weights);
      }
      for (u32 i = 0; i < 32; i += 8) {
        float* at = workspace.factors.data() + b * 32 + i;
        if (w.type == MatrixType::kQ8_0) {
          _mm256_store_ps(at, f16_values(&w.scales[(row + i) * 2]));
        } else if (w.type == MatrixType::kMxfp4) {
          _mm256_store_ps(at, mxfp4_factors(&w.scales[row + i]));
        } else {
          const Q4KScales scales = q4_k_scales(w);
          const u64 super = u64{tile} * (w.k / 256) + (run.first + b) / 8;
          q4_k_factors(scales.super + (super * 32 + i) * 4, scales.blocks + (row + i) * 2, at,
                       workspace.minimum_factors.data() + b * 32 + i);
        }
      }
    }
  }

  template <u32 n_rows, bool minimum>
  static void multiply(const ActivationRows& x, u32 first_row, const Run& run, MatvecWorkspace& workspace) {
    for (u32 lanes = 0; lanes < 32; lanes += 8) {
      if (x.nibbles()) {
        multiply_lanes<n_rows, minimum, true>(x, first_row, run, lanes, workspace);
      } else {
        multiply_lanes<n_rows, minimum, false>(x, first_row, run, lanes, workspace);
      }
    }
  }

 private:
  // Rows [lanes, lanes + 8) of the tile. `small`: four-bit weights, of which all eight groups of a block can be added
  // in 16 bits.
  template <u32 n_rows, bool minimum, bool small>
  static void multiply_lanes(const ActivationRows& x, u32 first_row, const Run& run, u32 lanes,
                             MatvecWorkspace& workspace) {
    float* segment = workspace.segment.data() + u64{first_row} * 32 + lanes;
    float* total = workspace.total.data() + u64{first_row} * 32 + lanes;
    for (Part part = part_at(run, run.first);; part = part_at(run, part.end)) {
      std::array<__m256, n_rows> sums;
      for (u32 r = 0; r < n_rows; ++r) {
        sums[r] = part.begins_segment ? _mm256_setzero_ps() : _mm256_loadu_ps(segment + r * 32);
      }
      for (u32 block = part.first; block < part.end; ++block) {
        add_block<n_rows, minimum, small>(x, first_row, block, (block - run.first) * 32 + lanes, workspace, sums);
      }
      for (u32 r = 0; r < n_rows; ++r) {
        float* at = (part.ends_segment ? total : segment) + r * 32;
        _mm256_storeu_ps(at, part.ends_segment ? _mm256_add_ps(_mm256_loadu_ps(at), sums[r]) : sums[r]);
      }
      if (part.end == run.end) return;
    }
  }

  // Block `block` of the activation rows, times the eight matrix rows whose numbers in the unpacked run begin at `at`.
  template <u32 n_rows, bool minimum, bool small>
  static void add_block(const ActivationRows& x, u32 first_row, u32 block, u32 at, const MatvecWorkspace& workspace,
                        std::array<__m256, n_rows>& sums) {
    const __m256i ones = _mm256_set1_epi16(1);
    const u8* weights = workspace.weights.data() + at / 32 * 1024 + at % 32 * 4;
    std::array<__m256i, n_rows> isums;
    for (__m256i& isum : isums) isum = _mm256_setzero_si256();
    for (u32 group = 0; group < 8; ++group) {
      const __m256i w = _mm256_load_si256(reinterpret_cast<const __m256i*>(weights + group * 128));
      const __m256i magnitude = _mm256_abs_epi8(w);
      for (u32 r = 0; r < n_rows; ++r) {
        i32 four;
        __builtin_memcpy(&four, x.codes(first_row + r) + u64{block} * 32 + group * 4, 4);
        const __m256i pairs = _mm256_maddubs_epi16(magnitude, _mm256_sign_epi8(_mm256_set1_epi32(four), w));
        isums[r] =
            small ? _mm256_add_epi16(isums[r], pairs) : _mm256_add_epi32(isums[r], _mm256_madd_epi16(pairs, ones));
      }
    }
    const __m256 dw = _mm256_load_ps(workspace.factors.data() + at);
    for (u32 r = 0; r < n_rows; ++r) {
      const __m256i isum = small ? _mm256_madd_epi16(isums[r], ones) : isums[r];
      const __m256 dx = _mm256_set1_ps(x.factors(first_row + r)[block]);
      sums[r] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(isum), _mm256_mul_ps(dx, dw), sums[r]);
      if constexpr (minimum) {
        const __m256 xsum = _mm256_set1_ps(static_cast<float>(-x.sums(first_row + r)[block]));
        const __m256 m = _mm256_load_ps(workspace.minimum_factors.data() + at);
        sums[r] = _mm256_fmadd_ps(xsum, _mm256_mul_ps(dx, m), sums[r]);
      }
    }
  }
};

}  // namespace

void matvec_q_avx2(const model::Matrix& w, TileRange tiles, const ActivationRows& x, MatvecWorkspace& workspace,
                   float* y, u64 y_stride) {
  multiply_tiles<Avx2>(w, tiles, x, workspace, y, y_stride);
}

}  // namespace bolide::backends::cpu
#endif
