// Index scores with AVX2 (backends/cpu/index_score_tiles.h). A key is at most 24, a query at most 12 in magnitude, so
// that vpmaddubsw's 16 bits hold the sum of a whole group.
#if defined(__x86_64__)
#include "backends/cpu/index_score_sets.h"
#include "backends/cpu/index_score_tiles.h"
#include "backends/cpu/lanes_avx2.h"
#include "backends/cpu/unpack_avx2.h"

namespace bolide::backends::cpu {
namespace {

struct Avx2 {
  using Lanes = Avx2Lanes;
  static constexpr u32 kWidth = Lanes::kWidth;

  static void unpack(const std::byte* codes, u8* keys) {
    const __m128i values = _mm_add_epi8(mxfp4_values(), _mm_set1_epi8(12));
    for (u32 group = 0; group < kGroups; ++group) {
      unpack_nibbles<kWidth>(codes + group * kGroupTileBytes, values, keys + group * 8 * kWidth * 4);
    }
  }

  template <u32 n_heads>
  static std::array<__m256i, n_heads> sums(const IndexQuery& query, u32 head, u32 group, const u8* keys) {
    std::array<__m256i, n_heads> sums;
    for (__m256i& sum : sums) sum = _mm256_setzero_si256();
    keys += group * 8 * kWidth * 4;
    std::array<const i8*, n_heads> columns;
    for (u32 h = 0; h < n_heads; ++h) columns[h] = query.doubled(head + h) + u64{group} * 32;
    for (u32 i = 0; i < 8; ++i) {
      const __m256i key = _mm256_load_si256(reinterpret_cast<const __m256i*>(keys + i * kWidth * 4));
      for (u32 h = 0; h < n_heads; ++h) {
        i32 four;
        __builtin_memcpy(&four, columns[h] + i * 4, 4);
        sums[h] = _mm256_add_epi16(sums[h], _mm256_maddubs_epi16(key, _mm256_set1_epi32(four)));
      }
    }
    for (u32 h = 0; h < n_heads; ++h) {
      const __m256i start = _mm256_set1_epi32(query.starts(head + h)[group]);
      sums[h] = _mm256_add_epi32(_mm256_madd_epi16(sums[h], _mm256_set1_epi16(1)), start);
    }
    return sums;
  }
};

}  // namespace

IndexScore index_score_avx2() {
  return {IndexScoreKernel<Avx2>::rows, IndexScoreKernel<Avx2>::blocks};
}

}  // namespace bolide::backends::cpu
#endif
