#include "model/reference/matrix_rows.h"

#include <algorithm>
#include <array>

#include "arith/bf16.h"
#include "arith/e2m1.h"
#include "arith/e4m3.h"
#include "arith/e8m0.h"

namespace bolide::model {
namespace {

constexpr u32 kBlock = 32;

// Tables, because most of a reference forward's time goes into decoding weights.
const std::array<float, 256>& e4m3_values() {
  static const auto table = [] {
    std::array<float, 256> values;
    for (u32 code = 0; code < 256; ++code) values[code] = arith::e4m3_value(static_cast<u8>(code));
    return values;
  }();
  return table;
}

// The two values of a byte of E2M1 codes.
const std::array<std::array<float, 2>, 256>& e2m1_pairs() {
  static const auto table = [] {
    std::array<std::array<float, 2>, 256> pairs;
    for (u32 byte = 0; byte < 256; ++byte) {
      pairs[byte] = {arith::e2m1_value(static_cast<u8>(byte & 15)), arith::e2m1_value(static_cast<u8>(byte >> 4))};
    }
    return pairs;
  }();
  return table;
}

}  // namespace

void decode_codes(const Matrix& w, u32 row, std::span<float> values) {
  switch (w.type) {
    case MatrixType::kBf16: {
      const std::byte* codes = w.codes.data() + u64{row} * w.k * sizeof(u16);
      for (u32 i = 0; i < w.k; ++i) values[i] = arith::bf16_value(load<u16>(codes + i * sizeof(u16)));
      return;
    }
    case MatrixType::kFp8: {
      const Bytes codes = w.codes.subspan(u64{row} * w.k, w.k);
      const std::array<float, 256>& table = e4m3_values();
      for (u32 i = 0; i < w.k; ++i) values[i] = table[byte_at(codes, i)];
      return;
    }
    case MatrixType::kFp4: {
      const Bytes pairs = w.codes.subspan(u64{row} * (w.k / 2), w.k / 2);
      const std::array<std::array<float, 2>, 256>& table = e2m1_pairs();
      for (u32 i = 0; i < w.k / 2; ++i) std::ranges::copy(table[byte_at(pairs, i)], &values[2 * i]);
      return;
    }
    default:
      check(false, "the reference forwards read official checkpoints, not packed files");
  }
}

float scale_of(const Matrix& w, u32 row, u32 group) {
  const u64 groups = (u64{w.k} + kBlock - 1) / kBlock;
  const u64 scale_row = w.type == MatrixType::kFp8 ? row / kBlock : row;
  return arith::e8m0_value(byte_at(w.scales, scale_row * groups + group));
}

}  // namespace bolide::model
