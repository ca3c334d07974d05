// Index scores in plain C++ (backends/cpu/index_score_tiles.h).
#include "backends/cpu/index_score_sets.h"
#include "backends/cpu/index_score_tiles.h"
#include "backends/cpu/lanes_scalar.h"

namespace bolide::backends::cpu {
namespace {

struct Scalar {
  using Lanes = ScalarLanes;
  static constexpr u32 kWidth = Lanes::kWidth;

  static void unpack(const std::byte* codes, u8* keys) {
    constexpr std::array<u8, 16> kValues = {12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0};
    for (u32 group = 0; group < kGroups; ++group) {
      for (u32 row = 0; row < kWidth; ++row) {
        for (u32 i = 0; i < 32; ++i) {
          // Even columns first, of every eight.
          const u32 byte = i / 8 * 4 + i % 4;
          const u8 pair = static_cast<u8>(codes[group * kGroupTileBytes + row * 16 + byte]);
          keys[((group * 8 + i / 4) * kWidth + row) * 4 + i % 4] = kValues[i / 4 % 2 == 0 ? pair & 15 : pair >> 4];
        }
      }
    }
  }

  template <u32 n_heads>
  static std::array<Lanes::Int, n_heads> sums(const IndexQuery& query, u32 head, u32 group, const u8* keys) {
    std::array<Lanes::Int, n_heads> sums;
    for (u32 h = 0; h < n_heads; ++h) {
      const i8* q = query.doubled(head + h) + u64{group} * 32;
      for (u32 row = 0; row < kWidth; ++row) {
        i32 sum = query.starts(head + h)[group];
        for (u32 i = 0; i < 32; ++i) sum += i32{q[i]} * keys[((group * 8 + i / 4) * kWidth + row) * 4 + i % 4];
        sums[h][row] = static_cast<u32>(sum);
      }
    }
    return sums;
  }
};

}  // namespace

IndexScore index_score_scalar() {
  return {IndexScoreKernel<Scalar>::rows, IndexScoreKernel<Scalar>::blocks};
}

}  // namespace bolide::backends::cpu
