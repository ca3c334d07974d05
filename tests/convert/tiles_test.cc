#include "convert/tiles.h"

#include <gtest/gtest.h>
#include <vector>

#include "formats/packed_layout.h"

namespace bolide::convert {
namespace {

std::vector<std::byte> numbered_bytes(std::size_t n) {
  std::vector<std::byte> bytes(n);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::byte>((i * 37 + i / 251) % 255 + 1);
  return bytes;
}

// Every byte of a tile, against the layout's own formula; missing rows are zeros, whatever was there before.
TEST(Tiles, HoldThePiecesOfTheRowsSideBySide) {
  for (const u64 piece : {1, 8, 16}) {
    for (const u64 n_rows : {32, 7}) {
      const u64 pieces = 5;
      const u64 row_bytes = pieces * piece;
      const std::vector<std::byte> rows = numbered_bytes(n_rows * row_bytes);
      std::vector<std::byte> tile(32 * row_bytes, std::byte{0xee});
      fill_tile(rows, row_bytes, piece, tile);
      for (u64 row = 0; row < 32; ++row) {
        for (u64 i = 0; i < row_bytes; ++i) {
          const std::byte wanted = row < n_rows ? rows[row * row_bytes + i] : std::byte{0};
          ASSERT_EQ(tile[formats::tile_offset(row, i / piece, pieces, piece) + i % piece], wanted)
              << "piece of " << piece << ", row " << row << ", byte " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace bolide::convert
