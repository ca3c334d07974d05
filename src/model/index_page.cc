#include "model/index_page.h"

#include "formats/packed_layout.h"

namespace bolide::model {
namespace {

using formats::tile_offset;

constexpr u32 kGroupBytes = 16;
constexpr u32 kCodeBytes = kIndexGroups * kGroupBytes;  // of a row

}  // namespace

void store_index_row(std::span<const std::byte, kIndexRowBytes> row, u32 i, std::span<std::byte> codes,
                     std::span<std::byte> scales) {
  for (u32 group = 0; group < kIndexGroups; ++group) {
    std::memcpy(&codes[tile_offset(i, group, kIndexGroups, kGroupBytes)], &row[u64{group} * kGroupBytes], kGroupBytes);
    scales[tile_offset(i, group, kIndexGroups, 1)] = row[kCodeBytes + group];
  }
}

std::array<std::byte, kIndexRowBytes> load_index_row(const IndexPage& page, u32 i) {
  std::array<std::byte, kIndexRowBytes> row;
  for (u32 group = 0; group < kIndexGroups; ++group) {
    std::memcpy(&row[u64{group} * kGroupBytes], page.codes + tile_offset(i, group, kIndexGroups, kGroupBytes),
                kGroupBytes);
    row[kCodeBytes + group] = page.scales[tile_offset(i, group, kIndexGroups, 1)];
  }
  return row;
}

}  // namespace bolide::model
