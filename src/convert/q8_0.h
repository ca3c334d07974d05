// Matrices that become Q8_0: those that the checkpoint holds as FP8, the BF16 heads, and such matrices as a GGUF holds
// them. The converter's rule of arithmetic.md, rule 2.
#pragma once
#include <span>

#include "base/bytes.h"
#include "base/result.h"

namespace bolide::convert {

// The rows of one tile of a matrix as its file holds them: plain rows.
struct MatrixRows {
  enum class Type : u8 { kFp8, kBf16, kF16, kF32 } type;
  Bytes codes;    // E4M3, BF16, F16 or F32; checked to be finite
  Bytes scales;   // of FP8: E8M0, one per 32 columns, for all these rows; below 255
  u64 first_row;  // in the matrix, a multiple of 32
  u64 rows;       // 32, or fewer at the matrix' end
  u64 columns;    // a multiple of 32
};

// What Q8_0 does to the blocks that its F16 scale is coarse for: those that are not all zero, with a = max|w| < 1e-3.
struct SmallBlocks {
  u64 blocks = 0;
  u64 zeroed = 0;            // of them, those whose scale rounded to 0: every weight is lost
  double largest_loss = 0;   // of one weight, |w - d q|
  double total_loss = 0;     // over all weights of these blocks
  double total_weights = 0;  // what that is to be compared with: the sum of |w| over these blocks
};

// Encodes them as a tile of a packed file (packed_layout.h; missing rows become zeros): `codes` has 32 * columns bytes,
// `scales` 2 * columns. Adds to `small`. Fails, naming row and columns, where a block is so large that its F16 scale
// would be infinite.
Status fill_q8_0_tile(const MatrixRows& source, std::span<std::byte> codes, std::span<std::byte> scales,
                      SmallBlocks& small);

}  // namespace bolide::convert
