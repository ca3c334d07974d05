#include "convert/q8_0.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "arith/bf16.h"
#include "arith/e4m3.h"
#include "arith/e8m0.h"
#include "arith/f16.h"
#include "arith/quantizers.h"
#include "formats/packed_layout.h"

namespace bolide::convert {
namespace {

constexpr u64 kBlock = 32;
constexpr double kSmall = 1e-3;

using Block = std::array<double, kBlock>;

std::array<float, 256> e4m3_values() {
  std::array<float, 256> values{};
  for (std::size_t code = 0; code < values.size(); ++code) values[code] = arith::e4m3_value(static_cast<u8>(code));
  return values;
}

// The weights of 32 columns of a row, exactly.
Block weights(const MatrixRows& source, u64 row, u64 block) {
  static const std::array<float, 256> e4m3 = e4m3_values();
  const u64 first = row * source.columns + block * kBlock;
  Block w;
  const auto each = [&](u64 bytes, auto value) {
    for (u64 i = 0; i < kBlock; ++i) w[i] = value(source.codes.data() + bytes * (first + i));
    return w;
  };
  switch (source.type) {
    case MatrixRows::Type::kBf16:
      return each(2, [](const std::byte* at) { return arith::bf16_value(load<u16>(at)); });
    case MatrixRows::Type::kF16:
      return each(2, [](const std::byte* at) { return arith::f16_value(load<u16>(at)); });
    case MatrixRows::Type::kF32:
      return each(4, [](const std::byte* at) { return load<float>(at); });
    case MatrixRows::Type::kFp8:
      break;
  }
  const double scale = arith::e8m0_value(byte_at(source.scales, block));
  for (u64 i = 0; i < kBlock; ++i) w[i] = e4m3[byte_at(source.codes, first + i)] * scale;
  return w;
}

void account_for(const Block& w, const arith::Q8_0Block& encoded, SmallBlocks& small) {
  double largest = 0;
  for (const double value : w) largest = std::max(largest, std::fabs(value));
  if (largest == 0 || largest >= kSmall) return;
  const double d = arith::f16_value(encoded.d);
  ++small.blocks;
  if (d == 0) ++small.zeroed;
  for (u64 i = 0; i < kBlock; ++i) {
    const double loss = std::fabs(w[i] - d * encoded.q[i]);
    small.largest_loss = std::max(small.largest_loss, loss);
    small.total_loss += loss;
    small.total_weights += std::fabs(w[i]);
  }
}

}  // namespace

Status fill_q8_0_tile(const MatrixRows& source, std::span<std::byte> codes, std::span<std::byte> scales,
                      SmallBlocks& small) {
  const u64 rows = source.rows;
  const u64 blocks = source.columns / kBlock;
  if (rows < formats::kTileRows) {
    std::ranges::fill(codes, std::byte{0});
    std::ranges::fill(scales, std::byte{0});
  }
  for (u64 row = 0; row < rows; ++row) {
    for (u64 block = 0; block < blocks; ++block) {
      const Block w = weights(source, row, block);
      arith::Q8_0Block encoded;
      if (!arith::quantize_q8_0(w, encoded)) {
        return Error{
            fmt::format("row {}, columns {} to {} hold a weight too large for Q8_0 (its scale would be "
                        "infinite); the file is damaged",
                        source.first_row + row, block * kBlock, block * kBlock + kBlock - 1)};
      }
      account_for(w, encoded, small);
      std::memcpy(&codes[formats::tile_offset(row, block, blocks, kBlock)], encoded.q.data(), kBlock);
      std::memcpy(&scales[formats::tile_offset(row, block, blocks, 2)], &encoded.d, 2);
    }
  }
  return {};
}

}  // namespace bolide::convert
