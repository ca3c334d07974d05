// Where the bytes of a packed tensor lie (docs/packed-file.md). Pure functions; nothing here touches a file.
//
// A matrix of R rows and K columns is cut into tiles of 32 rows; missing rows of the last tile are zeros. Each plane
// stores, tile after tile, the K axis in blocks, and inside a block the 32 rows side by side:
//
//     plane             block of k   bytes a row and block
//     codes MXFP4, Q4_K    32        16: element i of the block in byte i/2, even i in the low nibble
//     codes Q8_0           32        32: int8
//     scales MXFP4         32         1: E8M0
//     scales Q8_0          32         2: F16
//     scales Q4_K         256         4: F16 d, F16 dmin (all superblocks first)
//                          32         2: u8 scale, u8 min, each 0..63 (then all blocks)
//     float matrices        4         4 elements
//
// A stacked tensor holds `experts` such matrices one after the other, each plane of each expert at a multiple of 256.
#pragma once
#include <string>

#include "base/result.h"
#include "formats/weight_type.h"

namespace bolide::formats {

inline constexpr u64 kTileRows = 32;
inline constexpr u64 kExpertAlignment = 256;
inline constexpr u64 kTensorAlignment = 16 * 1024;

enum class Form : u32 {
  kPlain = 0,  // row after row, float types only: vectors (one row) and rows that are looked up one by one
  kTiled = 1,  // matrices
};

// Offset of the bytes of (row, block) in a plane whose K axis has `blocks` blocks of `block_bytes` bytes a row.
constexpr u64 tile_offset(u64 row, u64 block, u64 blocks, u64 block_bytes) {
  return ((row / kTileRows * blocks + block) * kTileRows + row % kTileRows) * block_bytes;
}

// What a packed tensor is made of.
struct PackedShape {
  WeightType type = WeightType::kF32;
  Form form = Form::kPlain;
  u64 experts = 1;
  u64 rows = 1;
  u64 columns = 1;  // K
};

// Bytes of one expert's planes, without the padding up to the next expert.
struct PlaneBytes {
  u64 codes = 0;
  u64 scales = 0;  // 0 for float types
};

// Fails where a dimension is 0 or too large, or the type cannot hold that many columns in that form.
Result<PlaneBytes> plane_bytes(const PackedShape& shape);

// Of a checked shape: where the planes of a Q4_K expert's scales divide (the block scales start here).
u64 q4_k_block_scales_offset(const PackedShape& shape);

// A shape's place in a file; offsets from the start of the file.
struct Placement {
  PlaneBytes expert;      // of one expert
  u64 codes_stride = 0;   // from one expert's codes to the next one's
  u64 scales_stride = 0;  // 0 for float types
  u64 codes_offset = 0;   // a multiple of kTensorAlignment
  u64 codes_bytes = 0;    // experts * codes_stride
  u64 scales_offset = 0;  // codes_offset + codes_bytes, a multiple of kExpertAlignment; so too without scales
  u64 scales_bytes = 0;   // experts * scales_stride
  u64 bytes() const { return codes_bytes + scales_bytes; }
  u64 end() const { return codes_offset + bytes(); }
};

// The place of a tensor of this shape in a file whose bytes before `free_offset` are taken.
Result<Placement> place(const PackedShape& shape, u64 free_offset);

}  // namespace bolide::formats
