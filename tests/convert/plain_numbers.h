// The number formats decoded from their definitions, one element at a time: what the fast code is compared with.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/bytes.h"
#include "formats/gguf_header.h"
#include "formats/packed_file.h"

namespace bolide::test {

inline double plain_f16(u16 code) {
  const int exponent = code >> 10 & 31;
  const int mantissa = code & 1023;
  const double magnitude = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return (code & 0x8000) != 0 ? -magnitude : magnitude;
}

inline double plain_bf16(u16 code) {
  const int exponent = code >> 7 & 255;
  const int mantissa = code & 127;
  const double magnitude = exponent == 0 ? std::ldexp(mantissa, -133) : std::ldexp(128 + mantissa, exponent - 134);
  return (code & 0x8000) != 0 ? -magnitude : magnitude;
}

inline double plain_e2m1(u8 code) {
  constexpr double kValues[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  return (code & 8) != 0 ? -kValues[code & 7] : kValues[code & 7];
}

// The positive F16 code nearest to x, ties to the even code, by looking at all of them.
inline u16 nearest_f16(double x) {
  static const std::vector<double> values = [] {
    std::vector<double> list;
    for (u16 code = 0; code <= 0x7bff; ++code) list.push_back(plain_f16(code));
    return list;
  }();
  const auto above = static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), x) - values.begin());
  if (above == 0 || values.at(above) == x) return static_cast<u16>(above);
  const double low = x - values[above - 1];
  const double high = values[above] - x;
  if (low == high) return static_cast<u16>(above % 2 == 0 ? above : above - 1);
  return static_cast<u16>(low < high ? above - 1 : above);
}

// Sub-block j of a Q4_K block: its 6-bit scale and minimum (arithmetic.md rule 2).
struct PlainScale {
  int scale;
  int min;
};
inline PlainScale plain_q4_k_scale(Bytes block, u64 j) {
  const auto at = [&](u64 i) { return static_cast<int>(byte_at(block, 4 + i)); };
  if (j < 4) return {at(j) % 64, at(j + 4) % 64};
  return {at(j + 4) % 16 + 16 * (at(j - 4) / 64), at(j + 4) / 16 + 16 * (at(j) / 64)};
}

// Element (row, k) of an expert's matrix as a GGUF holds it.
inline double plain_gguf_value(const formats::GgufTensor& tensor, u64 expert, u64 row, u64 k) {
  using formats::GgufType;
  const u64 columns = tensor.dimensions[0];
  const u64 rows = tensor.dimensions.size() > 1 ? tensor.dimensions[1] : 1;
  const u64 element = (expert * rows + row) * columns + k;
  const auto block = [&](u64 elements, u64 bytes) { return tensor.data.subspan(element / elements * bytes, bytes); };
  switch (tensor.type) {
    case GgufType::kF32:
      return load<float>(tensor.data.data() + 4 * element);
    case GgufType::kF16:
      return plain_f16(load<u16>(tensor.data.data() + 2 * element));
    case GgufType::kBF16:
      return plain_bf16(load<u16>(tensor.data.data() + 2 * element));
    case GgufType::kQ8_0: {
      const Bytes b = block(32, 34);
      return plain_f16(load<u16>(b.data())) * static_cast<i8>(b[2 + k % 32]);
    }
    case GgufType::kMXFP4: {
      const Bytes b = block(32, 17);
      const u8 pair = byte_at(b, 1 + k % 16);
      return std::ldexp(plain_e2m1(k % 32 < 16 ? pair % 16 : pair / 16), byte_at(b, 0) - 127);
    }
    case GgufType::kQ4_K: {
      const Bytes b = block(256, 144);
      const u64 j = k % 256 / 32;
      const u8 pair = byte_at(b, 16 + j / 2 * 32 + k % 32);
      const auto [scale, min] = plain_q4_k_scale(b, j);
      return plain_f16(load<u16>(b.data())) * scale * (j % 2 == 0 ? pair % 16 : pair / 16) -
             plain_f16(load<u16>(b.data() + 2)) * min;
    }
    case GgufType::kI8:
      break;
  }
  return NAN;
}

// The same of a packed tensor (docs/packed-file.md).
inline double plain_packed_value(const formats::PackedTensor& tensor, u64 expert, u64 row, u64 k) {
  using formats::WeightType;
  const formats::PackedShape& shape = tensor.spec.shape;
  const auto unit = [&](u64 width) { return (row / 32 * (shape.columns / width) + k / width) * 32 + row % 32; };
  const u64 at = shape.form == formats::Form::kTiled ? unit(4) * 4 + k % 4 : row * shape.columns + k;
  const Bytes codes = tensor.codes(expert);
  const Bytes scales = tensor.scales(expert);
  const auto nibble = [&] { return byte_at(codes, 16 * unit(32) + k % 32 / 2) >> (k % 2 * 4) & 15; };
  switch (shape.type) {
    case WeightType::kF32:
      return load<float>(codes.data() + 4 * at);
    case WeightType::kF16:
      return plain_f16(load<u16>(codes.data() + 2 * at));
    case WeightType::kBF16:
      return plain_bf16(load<u16>(codes.data() + 2 * at));
    case WeightType::kQ8_0:
      return plain_f16(load<u16>(scales.data() + 2 * unit(32))) * static_cast<i8>(codes[32 * unit(32) + k % 32]);
    case WeightType::kMXFP4:
      return std::ldexp(plain_e2m1(static_cast<u8>(nibble())), byte_at(scales, unit(32)) - 127);
    case WeightType::kQ4_K: {
      const std::byte* super = scales.data() + 4 * unit(256);
      const u64 pairs = (shape.rows + 31) / 32 * 32 * (shape.columns / 256) * 4;
      const Bytes pair = scales.subspan(pairs + 2 * unit(32), 2);
      return plain_f16(load<u16>(super)) * byte_at(pair, 0) * nibble() -
             plain_f16(load<u16>(super + 2)) * byte_at(pair, 1);
    }
  }
  return NAN;
}

}  // namespace bolide::test
