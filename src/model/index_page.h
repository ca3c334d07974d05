// Index keys in pages, as backends read them (design: interfaces.md, Session state): the codes in the tile form of
// MXFP4 weights with K = 128, [tile of 32 rows][4 groups][row][16 bytes], the scales in a plane apart,
// [tile][group][row]. The bytes of a row are those of state_layout.h, moved.
#pragma once
#include "model/state_layout.h"

namespace bolide::model {

constexpr u32 kIndexGroups = kIndexHeadDim / 32;

// One page of some whole tiles. Does not own its bytes.
struct IndexPage {
  const std::byte* codes = nullptr;   // index_code_bytes(rows)
  const std::byte* scales = nullptr;  // index_scale_bytes(rows)
};

// Of a page of `rows` rows, a multiple of 32.
constexpr u64 index_code_bytes(u64 rows) {
  return rows * (kIndexHeadDim / 2);
}
constexpr u64 index_scale_bytes(u64 rows) {
  return rows * kIndexGroups;
}

// Row `i` of a page, from and to the form of state_layout.h.
void store_index_row(std::span<const std::byte, kIndexRowBytes> row, u32 i, std::span<std::byte> codes,
                     std::span<std::byte> scales);
std::array<std::byte, kIndexRowBytes> load_index_row(const IndexPage& page, u32 i);

}  // namespace bolide::model
