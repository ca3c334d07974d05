#include "model/state_layout.h"

#include "arith/quantize.h"
#include "arith/quantizers.h"

namespace bolide::model {
namespace {

// Two codes a byte, the even element in the low nibble.
template <std::size_t N>
void store_nibbles(const std::array<u8, N>& codes, std::byte* out) {
  for (std::size_t i = 0; i < N; i += 2) out[i / 2] = static_cast<std::byte>(codes[i] | (codes[i + 1] << 4));
}

u8 nibble(const std::byte* codes, std::size_t i) {
  return static_cast<u8>((static_cast<u8>(codes[i / 2]) >> (4 * (i % 2))) & 15u);
}

const std::array<float, 256>& e4m3_table() {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> values;
    for (u32 code = 0; code < 256; ++code) values[code] = arith::e4m3_value(static_cast<u8>(code));
    return values;
  }();
  return table;
}

const std::array<float, 16>& e2m1_table() {
  static const std::array<float, 16> table = [] {
    std::array<float, 16> values;
    for (u32 code = 0; code < 16; ++code) values[code] = arith::e2m1_value(static_cast<u8>(code));
    return values;
  }();
  return table;
}

}  // namespace

void encode_window_row(std::span<const float, kHeadDim> x, std::span<std::byte, kWindowRowBytes> row) {
  for (std::size_t group = 0; group < kHeadDim / 32; ++group) {
    const arith::Q8Group packed = arith::quantize_q8(std::span<const float, 32>(&x[32 * group], 32));
    std::memcpy(&row[32 * group], packed.codes.data(), 32);
    row[kHeadDim + group] = static_cast<std::byte>(packed.scale);
  }
}

void encode_compressed_row(std::span<const float, kHeadDim> x, std::span<std::byte, kCompressedRowBytes> row) {
  for (std::size_t group = 0; group < kHeadDim / 16; ++group) {
    const arith::Q4kGroup packed = arith::quantize_q4k(std::span<const float, 16>(&x[16 * group], 16));
    store_nibbles(packed.codes, &row[8 * group]);
    row[kHeadDim / 2 + group] = static_cast<std::byte>(packed.scale);
  }
}

void encode_index_row(std::span<const float, kIndexHeadDim> x, std::span<std::byte, kIndexRowBytes> row) {
  for (std::size_t group = 0; group < kIndexHeadDim / 32; ++group) {
    const arith::Q4iGroup packed = arith::quantize_q4i(std::span<const float, 32>(&x[32 * group], 32));
    store_nibbles(packed.codes, &row[16 * group]);
    row[kIndexHeadDim / 2 + group] = static_cast<std::byte>(packed.scale);
  }
}

void decode_window_row(std::span<const std::byte, kWindowRowBytes> row, std::span<float, kHeadDim> x) {
  const std::array<float, 256>& value = e4m3_table();
  for (std::size_t group = 0; group < kHeadDim / 32; ++group) {
    const float scale = arith::e8m0_value(static_cast<u8>(row[kHeadDim + group]));
    for (std::size_t i = 32 * group; i < 32 * (group + 1); ++i) {
      x[i] = arith::bf16(value[static_cast<u8>(row[i])] * scale);
    }
  }
}

void decode_compressed_row(std::span<const std::byte, kCompressedRowBytes> row, std::span<float, kHeadDim> x) {
  const std::array<float, 16>& value = e2m1_table();
  for (std::size_t group = 0; group < kHeadDim / 16; ++group) {
    const float scale = arith::e4m3_value(static_cast<u8>(row[kHeadDim / 2 + group]));
    for (std::size_t i = 16 * group; i < 16 * (group + 1); ++i) x[i] = arith::bf16(value[nibble(&row[0], i)] * scale);
  }
}

}  // namespace bolide::model
