// Quantized rows between GGUF's blocks and the tiles of packed files. Nothing is computed: codes and scales change
// places (formats/packed_layout.h; GGUF's blocks: spec model.md 2.2, arithmetic.md rule 2).
//
//     GGUF block   bytes   scale             codes
//     Q8_0            34   F16               32 int8
//     MXFP4           17   E8M0              byte i: element i in the low nibble, i + 16 in the high one
//     Q4_K           144   F16 d, F16 dmin,  four times 32 bytes: their low nibbles are one sub-block of 32, their high
//                          12 bytes of 8     nibbles the next one
//                          6-bit scales and
//                          8 6-bit minima
//
// Packed 4-bit codes, like the checkpoint's FP4, have elements 2i and 2i + 1 in byte i.
#pragma once
#include <array>
#include <span>

#include "base/bytes.h"
#include "formats/weight_type.h"

namespace bolide::convert {

// The planes of a packed matrix. Types other than Q4_K have no block scales.
enum class Plane : u8 { kCodes, kScales, kBlockScales };

// Bytes of a plane of one tile of 32 rows; 0 where the type has no such plane.
u64 tile_bytes(formats::WeightType type, Plane plane, u64 columns);

// Fills one plane of a tile from the GGUF blocks of its rows (32, or fewer in the last tile: the others become zeros).
void fill_plane_tile(formats::WeightType type, Plane plane, Bytes rows, u64 columns, std::span<std::byte> tile);

// A tile of packed planes.
struct PackedTile {
  Bytes codes;
  Bytes scales;
  Bytes block_scales;
};

// The other way: the first rows of a tile as GGUF blocks; `rows` holds a whole number of rows, at most 32.
void fill_gguf_rows(formats::WeightType type, const PackedTile& tile, u64 columns, std::span<std::byte> rows);

}  // namespace bolide::convert
