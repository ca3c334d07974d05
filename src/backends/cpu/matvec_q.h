// Rows of activations times a quantized matrix (design: arithmetic.md rule 2), on the packed layout as it lies in the
// file (formats/packed_layout.h). From one row (decode) over a few (verify) to many (prefill) the weights are read once
// for a group of rows, and every row gets the bits that it would get alone.
#pragma once
#include <array>
#include <vector>

#include "backends/cpu/activation_rows.h"
#include "backends/cpu/instruction_set.h"
#include "model/weights.h"

namespace bolide::backends::cpu {

// Blocks of 32 columns that are unpacked at a time: 32 KiB of weights and scales, so that they stay in the first cache.
inline constexpr u32 kRunBlocks = 16;

// One thread's memory for the products: a run of weights, unpacked, and sums. Reused from call to call.
struct MatvecWorkspace {
  // A run of one tile's weights as int8 (avx512: plus an offset that makes them unsigned): per block and group of four
  // columns the 32 rows side by side.
  alignas(64) std::array<u8, u64{kRunBlocks} * 1024> weights;
  // Per block the factors of the 32 rows; Q4_K has a second one for its minimum.
  alignas(64) std::array<float, u64{kRunBlocks} * 32> factors;
  alignas(64) std::array<float, u64{kRunBlocks} * 32> minimum_factors;
  // Per activation row the 32 sums of the segment, and of the segments folded so far.
  std::vector<float> segment;
  std::vector<float> total;
};

// Tiles [first, end) of 32 rows of the matrix.
struct TileRange {
  u32 first;
  u32 end;
};

// y[r * y_stride + i] = row i of w times row r of x, binary32, not yet rounded to bf16, for the rows i of the tiles in
// `tiles`. w is Q8_0, MXFP4 or Q4_K; x was quantized for that type. Threads may share everything but the workspace and
// the tiles.
using MatvecQ = void (*)(const model::Matrix& w, TileRange tiles, const ActivationRows& x, MatvecWorkspace& workspace,
                         float* y, u64 y_stride);

// The kernel for a present instruction set.
MatvecQ matvec_q(InstructionSet set);

inline u32 tile_count(const model::Matrix& w) {
  return (w.rows + 31) / 32;
}

}  // namespace bolide::backends::cpu
