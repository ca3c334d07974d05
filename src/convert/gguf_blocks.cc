#include "convert/gguf_blocks.h"

#include <algorithm>

#include "formats/gguf_type.h"
#include "formats/packed_layout.h"

namespace bolide::convert {
namespace {

using formats::tile_offset;
using formats::WeightType;

constexpr u64 kTile = formats::kTileRows;
constexpr u64 kSubBlocks = 8;  // of a Q4_K block
constexpr u64 kQ4ScalesAt = 4;
constexpr u64 kQ4CodesAt = 16;

u8 low(std::byte byte) {
  return static_cast<u8>(byte) & 15;
}
u8 high(std::byte byte) {
  return static_cast<u8>(byte) >> 4;
}
std::byte nibbles(u8 low_one, u8 high_one) {
  return static_cast<std::byte>(low_one | high_one << 4);
}

// 16 bytes, elements i and i + 16 together: elements 2i and 2i + 1 together.
void pair_neighbours(const std::byte* from, std::byte* to) {
  for (u64 i = 0; i < 8; ++i) {
    to[i] = nibbles(low(from[2 * i]), low(from[2 * i + 1]));
    to[i + 8] = nibbles(high(from[2 * i]), high(from[2 * i + 1]));
  }
}
void pair_halves(const std::byte* from, std::byte* to) {
  for (u64 i = 0; i < 8; ++i) {
    to[2 * i] = nibbles(low(from[i]), low(from[i + 8]));
    to[2 * i + 1] = nibbles(high(from[i]), high(from[i + 8]));
  }
}

// The codes of sub-block `sub` of a Q4_K block, elements 2i and 2i + 1 together.
void pair_q4_k(const std::byte* block, u64 sub, std::byte* to) {
  const std::byte* from = block + kQ4CodesAt + sub / 2 * 32;
  const auto code = sub % 2 == 0 ? low : high;
  for (u64 i = 0; i < 16; ++i) to[i] = nibbles(code(from[2 * i]), code(from[2 * i + 1]));
}
// Two sub-blocks back into 32 bytes.
void unpair_q4_k(const std::byte* even, const std::byte* odd, std::byte* to) {
  for (u64 i = 0; i < 16; ++i) {
    to[2 * i] = nibbles(low(even[i]), low(odd[i]));
    to[2 * i + 1] = nibbles(high(even[i]), high(odd[i]));
  }
}

struct ScaleAndMin {
  u8 scale;
  u8 min;
};
// The 12 bytes of 6-bit numbers (arithmetic.md rule 2).
ScaleAndMin unpack_6_bits(const std::byte* bytes, u64 j) {
  const auto at = [&](u64 i) { return static_cast<u8>(bytes[i]); };
  if (j < 4) return {.scale = static_cast<u8>(at(j) & 63), .min = static_cast<u8>(at(j + 4) & 63)};
  return {.scale = static_cast<u8>((at(j + 4) & 15) + 16 * (at(j - 4) >> 6)),
          .min = static_cast<u8>((at(j + 4) >> 4) + 16 * (at(j) >> 6))};
}
void pack_6_bits(const std::array<ScaleAndMin, kSubBlocks>& values, std::byte* bytes) {
  const auto put = [&](u64 i, int value) { bytes[i] = static_cast<std::byte>(value); };
  for (u64 j = 0; j < 4; ++j) {
    put(j, values[j].scale | values[j + 4].scale >> 4 << 6);
    put(j + 4, values[j].min | values[j + 4].min >> 4 << 6);
    put(j + 8, (values[j + 4].scale & 15) | (values[j + 4].min & 15) << 4);
  }
}

struct PlaneRule {
  u64 block;  // elements
  u64 bytes;  // of a row and block
};
PlaneRule rule(WeightType type, Plane plane) {
  switch (type) {
    case WeightType::kQ8_0:
      if (plane == Plane::kCodes) return {.block = 32, .bytes = 32};
      if (plane == Plane::kScales) return {.block = 32, .bytes = 2};
      break;
    case WeightType::kMXFP4:
      if (plane == Plane::kCodes) return {.block = 32, .bytes = 16};
      if (plane == Plane::kScales) return {.block = 32, .bytes = 1};
      break;
    case WeightType::kQ4_K:
      if (plane == Plane::kCodes) return {.block = 32, .bytes = 16};
      if (plane == Plane::kScales) return {.block = 256, .bytes = 4};
      return {.block = 32, .bytes = 2};
    default:
      break;
  }
  return {.block = 32, .bytes = 0};
}

// Calls copy(GGUF block, its place in the tile's plane) for every row and GGUF block. `bytes`: of a row and GGUF block
// in the plane; where a GGUF block has several of the plane's blocks, copy finds the others itself.
template <class Rows, class Copy>
void for_each_block(WeightType type, Rows rows, u64 columns, Copy copy) {
  const formats::GgufBlock block = formats::block_of(formats::gguf_type(type));
  const u64 blocks = columns / block.elements;
  const u64 n_rows = rows.size() / (blocks * block.bytes);
  for (u64 row = 0; row < n_rows; ++row) {
    for (u64 i = 0; i < blocks; ++i) copy(rows.data() + (row * blocks + i) * block.bytes, row, i);
  }
}

void fill_q8_0(Plane plane, Bytes rows, u64 columns, std::byte* tile) {
  const u64 blocks = columns / 32;
  for_each_block(WeightType::kQ8_0, rows, columns, [&](const std::byte* block, u64 row, u64 i) {
    if (plane == Plane::kCodes) std::memcpy(tile + tile_offset(row, i, blocks, 32), block + 2, 32);
    if (plane == Plane::kScales) std::memcpy(tile + tile_offset(row, i, blocks, 2), block, 2);
  });
}

void fill_mxfp4(Plane plane, Bytes rows, u64 columns, std::byte* tile) {
  const u64 blocks = columns / 32;
  for_each_block(WeightType::kMXFP4, rows, columns, [&](const std::byte* block, u64 row, u64 i) {
    if (plane == Plane::kCodes) pair_neighbours(block + 1, tile + tile_offset(row, i, blocks, 16));
    if (plane == Plane::kScales) tile[tile_offset(row, i, blocks, 1)] = block[0];
  });
}

void fill_q4_k(Plane plane, Bytes rows, u64 columns, std::byte* tile) {
  const u64 blocks = columns / 32;
  for_each_block(WeightType::kQ4_K, rows, columns, [&](const std::byte* block, u64 row, u64 i) {
    if (plane == Plane::kScales) std::memcpy(tile + tile_offset(row, i, columns / 256, 4), block, 4);
    for (u64 sub = 0; sub < kSubBlocks && plane != Plane::kScales; ++sub) {
      const u64 at = i * kSubBlocks + sub;
      if (plane == Plane::kCodes) {
        pair_q4_k(block, sub, tile + tile_offset(row, at, blocks, 16));
      } else {
        const ScaleAndMin pair = unpack_6_bits(block + kQ4ScalesAt, sub);
        store(tile + tile_offset(row, at, blocks, 2), pair);
      }
    }
  });
}

void q4_k_block(const PackedTile& tile, u64 row, u64 i, u64 columns, std::byte* block) {
  const u64 blocks = columns / 32;
  std::memcpy(block, tile.scales.data() + tile_offset(row, i, columns / 256, 4), 4);
  std::array<ScaleAndMin, kSubBlocks> pairs;
  for (u64 sub = 0; sub < kSubBlocks; ++sub) {
    pairs[sub] = load<ScaleAndMin>(tile.block_scales.data() + tile_offset(row, i * kSubBlocks + sub, blocks, 2));
  }
  pack_6_bits(pairs, block + kQ4ScalesAt);
  for (u64 sub = 0; sub < kSubBlocks; sub += 2) {
    const u64 at = i * kSubBlocks + sub;
    unpair_q4_k(tile.codes.data() + tile_offset(row, at, blocks, 16),
                tile.codes.data() + tile_offset(row, at + 1, blocks, 16), block + kQ4CodesAt + sub / 2 * 32);
  }
}

}  // namespace

u64 tile_bytes(WeightType type, Plane plane, u64 columns) {
  const PlaneRule plane_rule = rule(type, plane);
  return columns / plane_rule.block * plane_rule.bytes * kTile;
}

void fill_plane_tile(WeightType type, Plane plane, Bytes rows, u64 columns, std::span<std::byte> tile) {
  check(tile.size() == tile_bytes(type, plane, columns), "the tile has the plane's size");
  if (rows.size() < kTile * formats::row_bytes(formats::gguf_type(type), columns)) {
    std::ranges::fill(tile, std::byte{0});
  }
  switch (type) {
    case WeightType::kQ8_0:
      return fill_q8_0(plane, rows, columns, tile.data());
    case WeightType::kMXFP4:
      return fill_mxfp4(plane, rows, columns, tile.data());
    case WeightType::kQ4_K:
      return fill_q4_k(plane, rows, columns, tile.data());
    default:
      check(false, "only quantized types have planes");
  }
}

void fill_gguf_rows(WeightType type, const PackedTile& tile, u64 columns, std::span<std::byte> rows) {
  const u64 blocks = columns / 32;
  for_each_block(type, rows, columns, [&](std::byte* block, u64 row, u64 i) {
    switch (type) {
      case WeightType::kQ8_0:
        std::memcpy(block, tile.scales.data() + tile_offset(row, i, blocks, 2), 2);
        std::memcpy(block + 2, tile.codes.data() + tile_offset(row, i, blocks, 32), 32);
        return;
      case WeightType::kMXFP4:
        block[0] = tile.scales[tile_offset(row, i, blocks, 1)];
        return pair_halves(tile.codes.data() + tile_offset(row, i, blocks, 16), block + 1);
      case WeightType::kQ4_K:
        return q4_k_block(tile, row, i, columns, block);
      default:
        check(false, "only quantized types have tiles of blocks");
    }
  });
}

}  // namespace bolide::convert
