#include "convert/float_rows.h"

#include <algorithm>
#include <cmath>

#include "arith/bf16.h"
#include "arith/f16.h"
#include "base/check.h"

namespace bolide::convert {
namespace {

void decode_q8_0(Bytes row, std::span<float> values) {
  constexpr u64 kBlockBytes = 34;
  for (u64 i = 0; i < values.size(); ++i) {
    const std::byte* block = row.data() + i / 32 * kBlockBytes;
    values[i] = arith::f16_value(load<u16>(block)) * static_cast<float>(static_cast<i8>(block[2 + i % 32]));
  }
}

}  // namespace

void decode_row(formats::GgufType type, Bytes row, std::span<float> values) {
  check(row.size() == formats::row_bytes(type, values.size()), "a row has one element a value");
  switch (type) {
    case formats::GgufType::kF32:
      std::memcpy(values.data(), row.data(), row.size());
      return;
    case formats::GgufType::kF16:
      for (u64 i = 0; i < values.size(); ++i) values[i] = arith::f16_value(load<u16>(row.data() + 2 * i));
      return;
    case formats::GgufType::kBF16:
      for (u64 i = 0; i < values.size(); ++i) values[i] = arith::bf16_value(load<u16>(row.data() + 2 * i));
      return;
    case formats::GgufType::kQ8_0:
      return decode_q8_0(row, values);
    default:
      check(false, "only these types are decoded");
  }
}

bool encode_row(formats::WeightType type, std::span<const float> values, std::span<std::byte> row) {
  u16 overflowed = 0;
  switch (type) {
    case formats::WeightType::kF32:
      std::memcpy(row.data(), values.data(), values.size_bytes());
      return true;
    case formats::WeightType::kF16:
      for (u64 i = 0; i < values.size(); ++i) {
        const u16 code = arith::f16_code(values[i]);
        overflowed |= u16{(code & 0x7c00) == 0x7c00};
        store(row.data() + 2 * i, code);
      }
      return overflowed == 0;
    case formats::WeightType::kBF16:
      for (u64 i = 0; i < values.size(); ++i) {
        const u16 code = arith::bf16_code(values[i]);
        overflowed |= u16{(code & 0x7f80) == 0x7f80};
        store(row.data() + 2 * i, code);
      }
      return overflowed == 0;
    default:
      check(false, "only float types are encoded");
      return false;
  }
}

bool all_finite(std::span<const float> values) {
  return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

}  // namespace bolide::convert
