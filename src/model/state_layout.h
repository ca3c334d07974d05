// Names, row formats and byte order of all session state (design: interfaces.md, Session state). Every row is packed
// exactly as the model quantizes; the state hash is taken over these bytes.
#pragma once
#include <array>
#include <span>

#include "base/bytes.h"

namespace bolide::model {

constexpr u32 kHeadDim = 512;  // one shared key and value vector (version 1 of A1 fixes it)
constexpr u32 kRopeDim = 64;   // the last elements of a head
constexpr u32 kIndexHeadDim = 128;
constexpr u32 kMaxRatio = 2;

// A window row: 512 E4M3 codes, then 16 E8M0 scales (Q8, 32 values a group).
constexpr u32 kWindowRowBytes = 512 + 16;
// A compressed row: 256 bytes of E2M1 codes, even element in the low nibble, then 32 E4M3 scales (Q4k, 16 values a
// group).
constexpr u32 kCompressedRowBytes = 256 + 32;
// An index key: 64 bytes of E2M1 codes, even element in the low nibble, then 4 E8M0 scales (Q4i, 32 values a group).
constexpr u32 kIndexRowBytes = 64 + 4;

// Quantizes finite values into a row; `row` has exactly the bytes of its kind.
void encode_window_row(std::span<const float, kHeadDim> x, std::span<std::byte, kWindowRowBytes> row);
void encode_compressed_row(std::span<const float, kHeadDim> x, std::span<std::byte, kCompressedRowBytes> row);
void encode_index_row(std::span<const float, kIndexHeadDim> x, std::span<std::byte, kIndexRowBytes> row);

// The exact values of a row (all are BF16).
void decode_window_row(std::span<const std::byte, kWindowRowBytes> row, std::span<float, kHeadDim> x);
void decode_compressed_row(std::span<const std::byte, kCompressedRowBytes> row, std::span<float, kHeadDim> x);

}  // namespace bolide::model
