// Plain rows into the tile order of packed files. Nothing is computed: bytes change places.
#pragma once
#include <span>

#include "base/bytes.h"

namespace bolide::convert {

// Fills one tile of 32 rows: [piece][row][piece_bytes] from `rows` of `row_bytes` each, cut into pieces of the K axis
// (packed_layout.h: what one row has of a block). Missing rows become zeros. row_bytes is a multiple of piece_bytes.
// Covers every type whose codes keep their bytes: MXFP4 (16: element 2i in the low nibble on both sides), its scales
// (1), BF16 (8) and F32 (16).
void fill_tile(Bytes rows, u64 row_bytes, u64 piece_bytes, std::span<std::byte> tile);

}  // namespace bolide::convert
