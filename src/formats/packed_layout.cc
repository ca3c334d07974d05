#include "formats/packed_layout.h"

#include <algorithm>
#include <fmt/format.h>

#include "formats/checked_size.h"

namespace bolide::formats {
namespace {

// One row's share of a plane: every `block` columns take `bytes`.
struct PlaneRule {
  u64 block;
  u64 bytes;
};

constexpr PlaneRule kNoPlane{.block = 1, .bytes = 0};

// The planes of a tiled matrix; Q4_K has two planes of scales (docs/packed-file.md).
struct TileRules {
  PlaneRule codes;
  PlaneRule scales;
  PlaneRule block_scales = kNoPlane;
};

TileRules tile_rules(WeightType type) {
  switch (type) {
    case WeightType::kMXFP4:
      return {.codes = {.block = 32, .bytes = 16}, .scales = {.block = 32, .bytes = 1}};
    case WeightType::kQ8_0:
      return {.codes = {.block = 32, .bytes = 32}, .scales = {.block = 32, .bytes = 2}};
    case WeightType::kQ4_K:
      return {.codes = {.block = 32, .bytes = 16},
              .scales = {.block = 256, .bytes = 4},
              .block_scales = {.block = 32, .bytes = 2}};
    case WeightType::kF32:
    case WeightType::kF16:
    case WeightType::kBF16:
      break;
  }
  return {.codes = {.block = 4, .bytes = 4 * float_bytes(type)}, .scales = kNoPlane};
}

// The columns of a tiled matrix come in whole units: the largest block of its planes.
u64 column_unit(const TileRules& rules) {
  return std::max(rules.codes.block, rules.scales.block);
}

CheckedSize plane(const PlaneRule& rule, CheckedSize padded_rows, u64 columns) {
  return padded_rows * CheckedSize(columns / rule.block) * rule.bytes;
}

Error too_large(const PackedShape& shape) {
  return {fmt::format("{} experts x {} rows x {} columns are more than a file can hold", shape.experts, shape.rows,
                      shape.columns)};
}

}  // namespace

Result<PlaneBytes> plane_bytes(const PackedShape& shape) {
  if (shape.experts == 0 || shape.rows == 0 || shape.columns == 0) {
    return Error{
        fmt::format("{} experts x {} rows x {} columns: none may be 0", shape.experts, shape.rows, shape.columns)};
  }
  if (shape.form == Form::kPlain) {
    if (is_quantized(shape.type))
      return Error{fmt::format("{} is stored in tiles only, not in plain rows", name(shape.type))};
    const CheckedSize bytes = CheckedSize(shape.rows) * shape.columns * float_bytes(shape.type);
    if (!bytes.value()) return too_large(shape);
    return PlaneBytes{.codes = *bytes.value(), .scales = 0};
  }
  const TileRules rules = tile_rules(shape.type);
  if (shape.columns % column_unit(rules) != 0) {
    return Error{fmt::format("{} columns in tiles of {}: a multiple of {} is wanted", shape.columns, name(shape.type),
                             column_unit(rules))};
  }
  const CheckedSize padded_rows = CheckedSize(shape.rows).rounded_up(kTileRows);
  const CheckedSize codes = plane(rules.codes, padded_rows, shape.columns);
  const CheckedSize scales =
      plane(rules.scales, padded_rows, shape.columns) + plane(rules.block_scales, padded_rows, shape.columns);
  if (!codes.value() || !scales.value()) return too_large(shape);
  return PlaneBytes{.codes = *codes.value(), .scales = *scales.value()};
}

u64 q4_k_block_scales_offset(const PackedShape& shape) {
  const u64 padded_rows = (shape.rows + kTileRows - 1) / kTileRows * kTileRows;
  return padded_rows * (shape.columns / 256) * 4;
}

Result<Placement> place(const PackedShape& shape, u64 free_offset) {
  const Result<PlaneBytes> expert = plane_bytes(shape);
  if (!expert) return expert.error();
  const CheckedSize codes_stride = CheckedSize(expert->codes).rounded_up(kExpertAlignment);
  const CheckedSize scales_stride = CheckedSize(expert->scales).rounded_up(kExpertAlignment);
  const CheckedSize codes_offset = CheckedSize(free_offset).rounded_up(kTensorAlignment);
  const CheckedSize codes_bytes = codes_stride * shape.experts;
  const CheckedSize scales_bytes = scales_stride * shape.experts;
  const CheckedSize scales_offset = codes_offset + codes_bytes;
  if (!(scales_offset + scales_bytes).value()) return too_large(shape);
  return Placement{.expert = *expert,
                   .codes_stride = *codes_stride.value(),
                   .scales_stride = *scales_stride.value(),
                   .codes_offset = *codes_offset.value(),
                   .codes_bytes = *codes_bytes.value(),
                   .scales_offset = *scales_offset.value(),
                   .scales_bytes = *scales_bytes.value()};
}

}  // namespace bolide::formats
