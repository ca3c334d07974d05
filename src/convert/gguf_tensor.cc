#include "convert/gguf_tensor.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "arith/bf16.h"
#include "arith/e8m0.h"
#include "convert/float_rows.h"
#include "convert/gguf_blocks.h"
#include "convert/tiles.h"

namespace bolide::convert {
namespace {

using formats::GgufTensor;
using formats::GgufType;
using formats::kTileRows;
using formats::WeightType;
using model::TensorSpec;

constexpr u64 kPieceBytes = 1 << 20;

SourceBytes source_bytes(const GgufTensor& tensor, const MappedFile& file) {
  return SourceBytes({.file = &file, .offset = tensor.file_offset, .bytes = tensor.data.size()});
}

// Calls use(row, values) for each row, until it answers no.
template <class Use>
Status for_each_row(const TensorSpec& spec, const GgufTensor& tensor, const MappedFile& file, Use use) {
  std::vector<float> values(spec.packed.columns);
  SourceBytes source = source_bytes(tensor, file);
  const u64 bytes = formats::row_bytes(tensor.type, spec.packed.columns);
  for (u64 row = 0; row < spec.packed.rows; ++row) {
    const Result<Bytes> stored = source.at(row * bytes, bytes);
    if (!stored) return stored.error();
    decode_row(tensor.type, *stored, values);
    if (!use(row, values)) return {};
  }
  return {};
}

Result<bool> is_all_bf16(const TensorSpec& spec, const GgufTensor& tensor, const MappedFile& file) {
  bool exact = true;
  const Status read = for_each_row(spec, tensor, file, [&](u64, std::span<const float> values) {
    exact = std::ranges::all_of(values, [](float value) { return arith::bf16_nearest(value) == value; });
    return exact;
  });
  if (!read) return read.error();
  return exact;
}

Error not_finite(const GgufTensor& tensor, std::string_view what) {
  return {fmt::format("tensor {} ({}): {} is not a finite number; the file is damaged, get it again", tensor.name,
                      formats::describe(tensor), what)};
}

Error value_not_finite(const GgufTensor& tensor, u64 row) {
  return not_finite(tensor, fmt::format("a value of row {}", row));
}

bool scales_are_finite(WeightType type, Bytes scales) {
  if (type == WeightType::kMXFP4) {
    return std::ranges::none_of(scales, [](std::byte code) { return arith::e8m0_is_nan(static_cast<u8>(code)); });
  }
  for (u64 i = 0; i < scales.size(); i += 2) {
    if ((load<u16>(scales.data() + i) & 0x7c00) == 0x7c00) return false;  // F16: infinity or NaN
  }
  return true;
}

// One plane of the expert whose blocks are the bytes from `begin` to `end`, several tiles at a time.
Status append_plane(const TensorSpec& spec, const GgufTensor& tensor, SourceBytes& source, u64 begin, u64 end,
                    Plane plane, const Append& append) {
  const WeightType type = spec.packed.type;
  const u64 columns = spec.packed.columns;
  const u64 of_tile = tile_bytes(type, plane, columns);
  if (of_tile == 0) return {};
  const u64 tile_rows_bytes = kTileRows * formats::row_bytes(tensor.type, columns);
  std::vector<std::byte> tiles(std::max<u64>(kPieceBytes / of_tile, 1) * of_tile);
  while (begin < end) {
    u64 filled = 0;
    for (; filled < tiles.size() && begin < end; filled += of_tile, begin += tile_rows_bytes) {
      const Result<Bytes> rows = source.at(begin, std::min(tile_rows_bytes, end - begin));
      if (!rows) return rows.error();
      fill_plane_tile(type, plane, *rows, columns, std::span(tiles).subspan(filled, of_tile));
    }
    const Bytes piece = Bytes(tiles).first(filled);
    if (plane == Plane::kScales && !scales_are_finite(type, piece)) {
      return not_finite(tensor, "a scale");
    }
    if (Status appended = append(piece); !appended) return appended;
  }
  return {};
}

// All experts' codes, then all experts' scales.
Status append_quantized(const TensorSpec& spec, const GgufTensor& tensor, const MappedFile& file,
                        const Append& append) {
  SourceBytes source = source_bytes(tensor, file);
  const u64 expert_bytes = source.size() / spec.packed.experts;
  const auto plane = [&](Plane which, u64 expert) {
    return append_plane(spec, tensor, source, expert * expert_bytes, (expert + 1) * expert_bytes, which, append);
  };
  for (u64 expert = 0; expert < spec.packed.experts; ++expert) {
    if (Status done = plane(Plane::kCodes, expert); !done) return done;
  }
  for (u64 expert = 0; expert < spec.packed.experts; ++expert) {
    if (Status done = plane(Plane::kScales, expert); !done) return done;
    if (Status done = plane(Plane::kBlockScales, expert); !done) return done;
  }
  return {};
}

MatrixRows::Type matrix_type(GgufType type) {
  if (type == GgufType::kF16) return MatrixRows::Type::kF16;
  return type == GgufType::kBF16 ? MatrixRows::Type::kBf16 : MatrixRows::Type::kF32;
}

// The row of the first value that is not finite, if there is one.
std::optional<u64> first_bad_row(const GgufTensor& tensor, const MatrixRows& rows, std::span<float> values) {
  const u64 row_bytes = rows.codes.size() / rows.rows;
  for (u64 row = 0; row < rows.rows; ++row) {
    decode_row(tensor.type, rows.codes.subspan(row * row_bytes, row_bytes), values);
    if (!all_finite(values)) return rows.first_row + row;
  }
  return std::nullopt;
}

Status requantize(const TensorSpec& spec, const GgufTensor& tensor, const MappedFile& file, const Append& append,
                  SmallBlocks& small) {
  SourceBytes source = source_bytes(tensor, file);
  const u64 row_bytes = formats::row_bytes(tensor.type, spec.packed.columns);
  std::vector<float> values(spec.packed.columns);
  const auto read = [&](u64 tile) -> Result<MatrixRows> {
    const u64 first_row = tile * kTileRows;
    const u64 n = std::min(kTileRows, spec.packed.rows - first_row);
    const Result<Bytes> codes = source.at(first_row * row_bytes, n * row_bytes);
    if (!codes) return codes.error();
    const MatrixRows rows{.type = matrix_type(tensor.type),
                          .codes = *codes,
                          .scales = {},
                          .first_row = first_row,
                          .rows = n,
                          .columns = spec.packed.columns};
    if (const std::optional<u64> bad = first_bad_row(tensor, rows, values)) return value_not_finite(tensor, *bad);
    return rows;
  };
  return append_q8_0(spec.packed.rows, spec.packed.columns, read, append, small);
}

// Rows of a float type, 32 at a time, in tiles where the packed form has them.
Status append_floats(const TensorSpec& spec, const GgufTensor& tensor, const MappedFile& file, const Append& append) {
  const u64 element_bytes = formats::float_bytes(spec.packed.type);
  const u64 row_bytes = spec.packed.columns * element_bytes;
  std::vector<std::byte> rows(kTileRows * row_bytes);
  std::vector<std::byte> tile(rows.size());
  Status status;
  const Status read = for_each_row(spec, tensor, file, [&](u64 row, std::span<const float> values) {
    const u64 in_tile = row % kTileRows;
    if (!all_finite(values) ||
        !encode_row(spec.packed.type, values, std::span(rows).subspan(in_tile * row_bytes, row_bytes))) {
      status = value_not_finite(tensor, row);
      return false;
    }
    if (in_tile + 1 < kTileRows && row + 1 < spec.packed.rows) return true;
    const Bytes filled = Bytes(rows).first((in_tile + 1) * row_bytes);
    if (spec.packed.form == formats::Form::kPlain) {
      status = append(filled);
    } else {
      fill_tile(filled, row_bytes, 4 * element_bytes, tile);
      status = append(tile);
    }
    return status.ok();
  });
  return read ? status : read;
}

}  // namespace

Result<WeightType> packed_type(const TensorSpec& spec, const GgufTensor& tensor, const MappedFile& file) {
  const WeightType role = spec.packed.type;
  const std::optional<WeightType> stored = formats::weight_type(tensor.type);
  check(stored.has_value(), "types were found to fit their roles");
  switch (role) {
    case WeightType::kMXFP4:
      return *stored;
    case WeightType::kQ8_0:
      return formats::is_quantized(*stored) ? *stored : WeightType::kQ8_0;
    case WeightType::kBF16: {
      const bool looked_up = spec.tensor_class == model::TensorClass::kEmbedding;
      if (*stored == WeightType::kBF16 || (looked_up && *stored == WeightType::kQ8_0)) return WeightType::kBF16;
      const Result<bool> exact = is_all_bf16(spec, tensor, file);
      if (!exact) return exact.error();
      if (*exact) return WeightType::kBF16;
      return *stored == WeightType::kF16 ? WeightType::kF16 : WeightType::kF32;
    }
    default:
      return role;
  }
}

Result<TensorConversion> convert_gguf_tensor(const TensorSpec& spec, const GgufTensor& tensor, const MappedFile& file,
                                             const Append& append) {
  TensorConversion conversion{.bytes_in = tensor.data.size(), .small = {}};
  Status status;
  if (!formats::is_quantized(spec.packed.type)) {
    status = append_floats(spec, tensor, file, append);
  } else if (formats::gguf_type(spec.packed.type) == tensor.type) {
    status = append_quantized(spec, tensor, file, append);
  } else {
    status = requantize(spec, tensor, file, append, conversion.small);
  }
  if (!status) return status.error();
  return conversion;
}

}  // namespace bolide::convert
