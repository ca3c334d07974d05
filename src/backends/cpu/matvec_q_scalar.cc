// Rows times a quantized matrix in plain C++ (backends/cpu/matvec_q.h).
#include "arith/e8m0.h"
#include "arith/f16.h"
#include "backends/cpu/matvec_q_sets.h"
#include "backends/cpu/matvec_q_tiles.h"

namespace bolide::backends::cpu {
namespace {

using formats::tile_offset;
using model::MatrixType;

struct Scalar {
  static constexpr u32 kRowsAtOnce = 1;

  static void unpack(const model::Matrix& w, u32 tile, const Run& run, MatvecWorkspace& workspace) {
    for (u32 b = 0; b < run.end - run.first; ++b) {
      for (u32 row = 0; row < 32; ++row) {
        unpack_factors(w, tile * 32 + row, run.first + b, b * 32 + row, workspace);
        for (u32 i = 0; i < 32; ++i) {
          workspace.weights[b * 1024 + i / 4 * 128 + row * 4 + i % 4] =
              static_cast<u8>(weight(w, tile * 32 + row, run.first + b, i));
        }
      }
    }
  }

  template <u32 n_rows, bool minimum>
  static void multiply(const ActivationRows& x, u32 row, const Run& run, MatvecWorkspace& workspace) {
    static_assert(n_rows == 1);
    float* acc = workspace.segment.data() + u64{row} * 32;
    float* total = workspace.total.data() + u64{row} * 32;
    for (Part part = part_at(run, run.first);; part = part_at(run, part.end)) {
      if (part.begins_segment) std::fill_n(acc, 32, 0.0f);
      for (u32 block = part.first; block < part.end; ++block) {
        for (u32 i = 0; i < 32; ++i)
          acc[i] = add_block<minimum>(x, row, block, block - run.first, i, workspace, acc[i]);
      }
      if (part.ends_segment) {
        for (u32 i = 0; i < 32; ++i) total[i] = total[i] + acc[i];
      }
      if (part.end == run.end) return;
    }
  }

 private:
  // One output row's share of a block, which is number `at` of the run.
  template <bool minimum>
  static float add_block(const ActivationRows& x, u32 row, u32 block, u32 at, u32 output,
                         const MatvecWorkspace& workspace, float acc) {
    const i8* codes = x.codes(row) + u64{block} * 32;
    const float dx = x.factors(row)[block];
    i32 isum = 0;
    for (u32 i = 0; i < 32; ++i) {
      isum += i32{codes[i]} * static_cast<i8>(workspace.weights[at * 1024 + i / 4 * 128 + output * 4 + i % 4]);
    }
    acc = dialect::fma(static_cast<float>(isum), dx * workspace.factors[at * 32 + output], acc);
    if constexpr (minimum) {
      const auto sum = static_cast<float>(-x.sums(row)[block]);
      acc = dialect::fma(sum, dx * workspace.minimum_factors[at * 32 + output], acc);
    }
    return acc;
  }

  // Weight number i of a block, in the order of ActivationRows.
  static i32 weight(const model::Matrix& w, u32 row, u32 block, u32 i) {
    constexpr std::array<i8, 16> kDoubled = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
    const u32 blocks = w.k / 32;
    if (w.type == MatrixType::kQ8_0) return static_cast<i8>(w.codes[tile_offset(row, block, blocks, 32) + i]);
    const u32 byte = i / 8 * 4 + i % 4;
    const u8 pair = static_cast<u8>(w.codes[tile_offset(row, block, blocks, 16) + byte]);
    const u8 nibble = i / 4 % 2 == 0 ? pair & 15 : pair >> 4;
    return w.type == MatrixType::kMxfp4 ? kDoubled[nibble] : nibble;
  }

  static void unpack_factors(const model::Matrix& w, u32 row, u32 block, u32 at, MatvecWorkspace& workspace) {
    const u32 blocks = w.k / 32;
    if (w.type == MatrixType::kQ8_0) {
      workspace.factors[at] = arith::f16_value(load<u16>(&w.scales[tile_offset(row, block, blocks, 2)]));
    } else if (w.type == MatrixType::kMxfp4) {
      workspace.factors[at] = arith::mxfp4_factor(static_cast<u8>(w.scales[tile_offset(row, block, blocks, 1)]));
    } else {
      const Q4KScales scales = q4_k_scales(w);
      const std::byte* super = scales.super + tile_offset(row, block / 8, blocks / 8, 4);
      const std::byte* small = scales.blocks + tile_offset(row, block, blocks, 2);
      workspace.factors[at] = arith::f16_value(load<u16>(super)) * static_cast<float>(static_cast<u8>(small[0]));
      workspace.minimum_factors[at] =
          arith::f16_value(load<u16>(super + 2)) * static_cast<float>(static_cast<u8>(small[1]));
    }
  }
};

}  // namespace

void matvec_q_scalar(const model::Matrix& w, TileRange tiles, const ActivationRows& x, MatvecWorkspace& workspace,
                     float* y, u64 y_stride) {
  multiply_tiles<Scalar>(w, tiles, x, workspace, y, y_stride);
}

}  // namespace bolide::backends::cpu
