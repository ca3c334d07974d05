#include "convert/gguf_blocks.h"

#include <array>
#include <gmock/gmock.h>
#include <vector>

#include "base/philox.h"
#include "convert/plain_numbers.h"
#include "formats/gguf_type.h"

namespace bolide::convert {
namespace {

using formats::WeightType;

std::vector<std::byte> random_bytes(u64 count) {
  std::vector<std::byte> bytes(count);
  for (u64 i = 0; i < count; ++i) {
    bytes[i] = static_cast<std::byte>(philox4x32(7, {static_cast<u32>(i), 0, 0, 0})[0]);
  }
  return bytes;
}

struct Tile {
  std::vector<std::byte> codes;
  std::vector<std::byte> scales;
  std::vector<std::byte> block_scales;

  Tile(WeightType type, Bytes rows, u64 columns) {
    fill(codes, type, Plane::kCodes, rows, columns);
    fill(scales, type, Plane::kScales, rows, columns);
    if (type == WeightType::kQ4_K) fill(block_scales, type, Plane::kBlockScales, rows, columns);
  }
  PackedTile planes() const { return {.codes = codes, .scales = scales, .block_scales = block_scales}; }

 private:
  static void fill(std::vector<std::byte>& plane, WeightType type, Plane which, Bytes rows, u64 columns) {
    plane.assign(tile_bytes(type, which, columns), std::byte{0xee});
    fill_plane_tile(type, which, rows, columns, plane);
  }
};

class GgufBlocks : public ::testing::TestWithParam<WeightType> {};

TEST_P(GgufBlocks, ComeBackFromATileByteForByte) {
  const WeightType type = GetParam();
  constexpr u64 kColumns = 768;
  for (const u64 rows : {32, 5, 1}) {
    const std::vector<std::byte> blocks = random_bytes(rows * formats::row_bytes(formats::gguf_type(type), kColumns));
    const Tile tile(type, blocks, kColumns);
    std::vector<std::byte> again(blocks.size(), std::byte{0xee});
    fill_gguf_rows(type, tile.planes(), kColumns, again);
    EXPECT_EQ(again, blocks) << rows << " rows";
  }
}

TEST_P(GgufBlocks, MissingRowsOfATileAreZeros) {
  const WeightType type = GetParam();
  const std::vector<std::byte> blocks = random_bytes(3 * formats::row_bytes(formats::gguf_type(type), 256));
  const Tile tile(type, blocks, 256);
  std::vector<std::byte> again(32 * formats::row_bytes(formats::gguf_type(type), 256));
  fill_gguf_rows(type, tile.planes(), 256, again);
  EXPECT_TRUE(std::equal(blocks.begin(), blocks.end(), again.begin()));
  EXPECT_THAT(std::vector(again.begin() + static_cast<std::ptrdiff_t>(blocks.size()), again.end()),
              testing::Each(std::byte{0}));
}

INSTANTIATE_TEST_SUITE_P(Types, GgufBlocks, testing::Values(WeightType::kQ8_0, WeightType::kMXFP4, WeightType::kQ4_K),
                         [](const auto& tested) { return std::string(formats::name(tested.param)); });

// The two orders of nibbles: GGUF pairs elements i and i + 16, the checkpoint and the packed form 2i and 2i + 1.
TEST(Mxfp4Block, ElementsKeepTheirNumbers) {
  std::vector<std::byte> block(17);
  block[0] = std::byte{130};
  for (u32 i = 0; i < 16; ++i) block[1 + i] = static_cast<std::byte>(i | (15 - i) << 4);  // i + 16 holds 15 - i
  const Tile tile(WeightType::kMXFP4, block, 32);
  EXPECT_EQ(tile.scales[0], std::byte{130});
  for (u32 i = 0; i < 32; ++i) {
    const u32 found = static_cast<u32>(tile.codes[i / 2]) >> (i % 2 * 4) & 15;
    EXPECT_EQ(found, i < 16 ? i : 31 - i) << i;
  }
}

// Each of the 16 six-bit numbers of a Q4_K block alone at its largest: the packed planes have it, and only it.
TEST(Q4KBlock, EverySixBitNumberHasItsPlace) {
  for (u64 which = 0; which < 16; ++which) {
    const u64 j = which % 8;
    const bool is_min = which >= 8;
    std::vector<std::byte> planes(tile_bytes(WeightType::kQ4_K, Plane::kBlockScales, 256));
    planes[j * 32 * 2 + (is_min ? 1 : 0)] = std::byte{63};
    const std::vector<std::byte> codes(tile_bytes(WeightType::kQ4_K, Plane::kCodes, 256));
    const std::vector<std::byte> scales(tile_bytes(WeightType::kQ4_K, Plane::kScales, 256));
    std::vector<std::byte> block(144);
    fill_gguf_rows(WeightType::kQ4_K, {.codes = codes, .scales = scales, .block_scales = planes}, 256, block);
    for (u64 i = 0; i < 8; ++i) {
      const test::PlainScale found = test::plain_q4_k_scale(block, i);
      EXPECT_EQ(found.scale, i == j && !is_min ? 63 : 0);
      EXPECT_EQ(found.min, i == j && is_min ? 63 : 0);
    }
  }
}

}  // namespace
}  // namespace bolide::convert
