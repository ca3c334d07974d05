// Index scores with AVX-512 VNNI (backends/cpu/index_score_tiles.h).
#if defined(__x86_64__)
#include "backends/cpu/index_score_sets.h"
#include "backends/cpu/index_score_tiles.h"
#include "backends/cpu/lanes_avx512.h"
#include "backends/cpu/unpack_avx512.h"

namespace bolide::backends::cpu {
namespace {

struct Avx512 {
  using Lanes = Avx512Lanes;
  static constexpr u32 kWidth = Lanes::kWidth;

  static void unpack(const std::byte* codes, u8* keys) {
    for (u32 group = 0; group < kGroups; ++group) {
      unpack_nibbles<kWidth>(codes + group * kGroupTileBytes, mxfp4_values(), keys + group * 8 * kWidth * 4);
    }
  }

  template <u32 n_heads>
  static std::array<__m512i, n_heads> sums(const IndexQuery& query, u32 head, u32 group, const u8* keys) {
    std::array<__m512i, n_heads> sums;
    for (u32 h = 0; h < n_heads; ++h) sums[h] = _mm512_set1_epi32(query.starts(head + h)[group]);
    keys += group * 8 * kWidth * 4;
    std::array<const i8*, n_heads> columns;
    for (u32 h = 0; h < n_heads; ++h) columns[h] = query.doubled(head + h) + u64{group} * 32;
    for (u32 i = 0; i < 8; ++i) {
      const __m512i key = _mm512_load_si512(keys + i * kWidth * 4);
      for (u32 h = 0; h < n_heads; ++h) {
        i32 four;
        __builtin_memcpy(&four, columns[h] + i * 4, 4);
        sums[h] = _mm512_dpbusd_epi32(sums[h], key, _mm512_set1_epi32(four));
      }
    }
    return sums;
  }
};

}  // namespace

IndexScore index_score_avx512() {
  return {IndexScoreKernel<Avx512>::rows, IndexScoreKernel<Avx512>::blocks};
}

}  // namespace bolide::backends::cpu
#endif
