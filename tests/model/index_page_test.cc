// Index keys keep their bytes on the way into a page and back.
#include "model/index_page.h"

#include <gtest/gtest.h>
#include <vector>

namespace bolide::model {
namespace {

using IndexRow = std::array<std::byte, kIndexRowBytes>;

IndexRow row_of(u32 seed) {
  IndexRow row;
  for (u32 i = 0; i < row.size(); ++i) row[i] = static_cast<std::byte>((seed * 71 + i * 13) & 255);
  return row;
}

TEST(IndexPage, RowsComeBackAsTheyWere) {
  std::vector<std::byte> codes(index_code_bytes(96));
  std::vector<std::byte> scales(index_scale_bytes(96));
  for (u32 i = 0; i < 96; ++i) store_index_row(row_of(i), i, codes, scales);
  for (u32 i = 0; i < 96; ++i) EXPECT_EQ(load_index_row({codes.data(), scales.data()}, i), row_of(i)) << i;
}

TEST(IndexPage, GroupsOfThirtyTwoRowsLieSideBySide) {
  std::vector<std::byte> codes(index_code_bytes(64));
  std::vector<std::byte> scales(index_scale_bytes(64));
  const IndexRow row = row_of(5);
  store_index_row(row, 33, codes, scales);
  // The second tile, its third group, its second row.
  EXPECT_EQ(codes[64 * 32 + 2 * 512 + 16 + 7], row[2 * 16 + 7]);
  EXPECT_EQ(scales[4 * 32 + 2 * 32 + 1], row[64 + 2]);
}

}  // namespace
}  // namespace bolide::model
