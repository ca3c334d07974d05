// Matrix products of A1 (design: arithmetic.md rules 2 and 3), on the packed layout (formats/packed_layout.h).
#include <array>

#include "arith/bf16.h"
#include "arith/e2m1.h"
#include "arith/e8m0.h"
#include "arith/f16.h"
#include "arith/reductions.h"
#include "base/check.h"
#include "formats/packed_layout.h"
#include "model/oracle/mechanisms.h"
#include "model/oracle/oracle_arithmetic.h"

namespace bolide::model {
namespace oracle {
namespace {

constexpr u32 kTile = formats::kTileRows;
using TileRow = std::array<float, kTile>;

i32 dot_int8(const i8* x, const std::byte* codes) {
  i32 sum = 0;
  for (std::size_t i = 0; i < 32; ++i) sum += i32{x[i]} * static_cast<i8>(codes[i]);
  return sum;
}

// The 32 elements of a 4-bit block: element i in nibble i, low first.
std::array<u8, 32> unpack_nibbles(const std::byte* codes) {
  std::array<u8, 32> elements;
  for (std::size_t i = 0; i < 16; ++i) {
    elements[2 * i] = static_cast<u8>(codes[i]) & 15;
    elements[2 * i + 1] = static_cast<u8>(codes[i]) >> 4;
  }
  return elements;
}

// Twice the E2M1 values of a block.
i32 dot_mxfp4(const i8* x, const std::byte* codes) {
  constexpr std::array<i8, 16> kDoubled = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
  const std::array<u8, 32> elements = unpack_nibbles(codes);
  i32 sum = 0;
  for (std::size_t i = 0; i < 32; ++i) sum += i32{x[i]} * kDoubled[elements[i]];
  return sum;
}

i32 dot_q4_k(const i8* x, const std::byte* codes) {
  const std::array<u8, 32> elements = unpack_nibbles(codes);
  i32 sum = 0;
  for (std::size_t i = 0; i < 32; ++i) sum += i32{x[i]} * elements[i];
  return sum;
}

// Reads the factors of one matrix's blocks and adds a block's share to an accumulator: one fma per 32 products (two for
// Q4_K).
class BlockProducts {
 public:
  BlockProducts(const Matrix& w, const arith::QuantizedActivations& x) : w_(w), x_(x), blocks_(w.k / 32) {}

  float add(u32 row, u32 block, float acc) const {
    const i8* q = &x_.q[u64{block} * 32];
    const float dx = x_.d[block];
    switch (w_.type) {
      case MatrixType::kQ8_0: {
        const float dw = arith::f16_value(load<u16>(&w_.scales[formats::tile_offset(row, block, blocks_, 2)]));
        const i32 isum = dot_int8(q, &w_.codes[formats::tile_offset(row, block, blocks_, 32)]);
        return dialect::fma(static_cast<float>(isum), dx * dw, acc);
      }
      case MatrixType::kMxfp4: {
        const float dw = arith::mxfp4_factor(static_cast<u8>(w_.scales[formats::tile_offset(row, block, blocks_, 1)]));
        const i32 isum = dot_mxfp4(q, &w_.codes[formats::tile_offset(row, block, blocks_, 16)]);
        return dialect::fma(static_cast<float>(isum), dx * dw, acc);
      }
      case MatrixType::kQ4K:
        return add_q4_k(row, block, acc);
      default:
        check(false, "only quantized matrices enter rule 2");
        return acc;
    }
  }

 private:
  float add_q4_k(u32 row, u32 block, float acc) const {
    const u64 super_blocks = w_.k / 256;
    const u64 block_scales = (w_.rows + kTile - 1) / kTile * kTile * super_blocks * 4;  // after all {d, dmin}
    const std::byte* super = &w_.scales[formats::tile_offset(row, block / 8, super_blocks, 4)];
    const std::byte* small = &w_.scales[block_scales + formats::tile_offset(row, block, blocks_, 2)];
    const float d = arith::f16_value(load<u16>(super));
    const float d_min = arith::f16_value(load<u16>(super + 2));
    const float dx = x_.d[block];
    const i32 isum = dot_q4_k(&x_.q[u64{block} * 32], &w_.codes[formats::tile_offset(row, block, blocks_, 16)]);
    acc = dialect::fma(static_cast<float>(isum), dx * (d * static_cast<float>(static_cast<u8>(small[0]))), acc);
    return dialect::fma(static_cast<float>(-x_.sum[block]),
                        dx * (d_min * static_cast<float>(static_cast<u8>(small[1]))), acc);
  }

  const Matrix& w_;
  const arith::QuantizedActivations& x_;
  u32 blocks_;
};

// All 32 rows of the tile that begins at `first_row`, segment after segment; the segments are folded in order.
TileRow tile_product(const BlockProducts& products, u32 first_row, u32 blocks) {
  const u32 length = arith::segment_blocks(blocks, arith::kQuantizedSegments);
  TileRow total{};
  for (u32 segment = 0; segment < arith::kQuantizedSegments; ++segment) {
    TileRow acc{};
    for (u32 block = segment * length; block < std::min((segment + 1) * length, blocks); ++block) {
      for (u32 i = 0; i < kTile; ++i) acc[i] = products.add(first_row + i, block, acc[i]);
    }
    for (u32 i = 0; i < kTile; ++i) total[i] = segment == 0 ? acc[i] : total[i] + acc[i];
  }
  return total;
}

}  // namespace

void product(const Matrix& w, u32 first_row, const arith::QuantizedActivations& x, std::span<float> y) {
  check(x.q.size() == w.k && first_row + y.size() <= w.rows, "the shapes of a product fit");
  const BlockProducts products(w, x);
  const u32 end = first_row + static_cast<u32>(y.size());
  for (u32 tile = first_row / kTile * kTile; tile < end; tile += kTile) {
    const TileRow rows = tile_product(products, tile, w.k / 32);
    for (u32 row = std::max(tile, first_row); row < std::min(tile + kTile, end); ++row)
      y[row - first_row] = rows[row - tile];
  }
}

float float_dot(std::span<const float> w, std::span<const float> x) {
  check(w.size() == x.size() && w.size() % 32 == 0, "the shapes of a product fit");
  const u32 k = static_cast<u32>(w.size());
  const u32 segments = arith::float_segments(k);
  const u32 length = 32 * arith::segment_blocks(k / 32, segments);
  std::array<float, 64> acc{};
  // Each segment is one chain in ascending order; the chains run side by side, because they do not depend on each
  // other.
  const u32 whole = k / length;
  for (u32 i = 0; i < length; ++i) {
    for (u32 s = 0; s < whole; ++s) acc[s] = dialect::fma(w[s * length + i], x[s * length + i], acc[s]);
    if (whole * length + i < k) acc[whole] = dialect::fma(w[whole * length + i], x[whole * length + i], acc[whole]);
  }
  float total = acc[0];
  for (u32 s = 1; s < segments; ++s) total = total + acc[s];
  return total;
}

}  // namespace oracle

void OracleArithmetic::linear(const Matrix& w, u32 first_row, std::span<const float> x, std::span<float> y) const {
  oracle::product(w, first_row, arith::quantize_activations(x), y);
  for (float& value : y) value = arith::bf16(value);
}

// A1 quantizes the input of wo_a, too.
void OracleArithmetic::output_group(const Matrix& w, u32 first_row, std::span<const float> x,
                                    std::span<float> y) const {
  linear(w, first_row, x, y);
}

void OracleArithmetic::logits(const Matrix& w, std::span<const float> x, std::span<float> y) const {
  oracle::product(w, 0, arith::quantize_activations(x), y);
}

void OracleArithmetic::float_linear(const FloatMatrix& w, std::span<const float> x, std::span<float> y) const {
  for (u32 row = 0; row < w.rows; ++row) y[row] = oracle::float_dot(w.row(row), x);
}

}  // namespace bolide::model
