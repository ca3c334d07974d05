#include "model/reference/matrix_rows.h"

#include "arith/bf16.h"
#include "arith/e2m1.h"
#include "arith/e4m3.h"
#include "arith/e8m0.h"

namespace bolide::model {
namespace {

constexpr u32 kBlock = 32;

template <std::size_t N, class Value>
std::array<float, N> table_of(Value value) {
  std::array<float, N> table;
  for (std::size_t code = 0; code < N; ++code) table[code] = value(static_cast<u8>(code));
  return table;
}

const std::array<float, 256> kE4m3Values = table_of<256>(arith::e4m3_value);
const std::array<float, 16> kE2m1Values = table_of<16>(arith::e2m1_value);

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
      for (u32 i = 0; i < w.k; ++i) values[i] = kE4m3Values[byte_at(codes, i)];
      return;
    }
    case MatrixType::kFp4: {
      const Bytes pairs = w.codes.subspan(u64{row} * (w.k / 2), w.k / 2);
      for (u32 i = 0; i < w.k / 2; ++i) {
        values[2 * i] = kE2m1Values[byte_at(pairs, i) & 15];
        values[2 * i + 1] = kE2m1Values[byte_at(pairs, i) >> 4];
      }
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
