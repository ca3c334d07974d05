#include "convert/tiles.h"

#include <algorithm>

#include "base/check.h"
#include "formats/packed_layout.h"

namespace bolide::convert {
namespace {

// With the piece's size known, the copy of a piece is one or two instructions.
template <u64 PieceBytes>
void fill(Bytes rows, u64 row_bytes, std::span<std::byte> tile) {
  const u64 pieces = row_bytes / PieceBytes;
  for (u64 row = 0; row * row_bytes < rows.size(); ++row) {
    const std::byte* from = rows.data() + row * row_bytes;
    std::byte* to = tile.data() + row * PieceBytes;
    for (u64 piece = 0; piece < pieces; ++piece) {
      std::memcpy(to, from, PieceBytes);
      from += PieceBytes;
      to += formats::kTileRows * PieceBytes;
    }
  }
}

}  // namespace

void fill_tile(Bytes rows, u64 row_bytes, u64 piece_bytes, std::span<std::byte> tile) {
  check(rows.size() % row_bytes == 0 && row_bytes % piece_bytes == 0, "rows and pieces are whole");
  check(rows.size() <= tile.size() && tile.size() == row_bytes * formats::kTileRows, "a tile has 32 rows");
  if (rows.size() < tile.size()) std::ranges::fill(tile, std::byte{0});
  switch (piece_bytes) {
    case 1:
      return fill<1>(rows, row_bytes, tile);
    case 8:
      return fill<8>(rows, row_bytes, tile);
    case 16:
      return fill<16>(rows, row_bytes, tile);
    default:
      check(false, "every type has one of these pieces");
  }
}

}  // namespace bolide::convert
