#include "convert/synth_rules.h"

#include <cmath>

#include "arith/bf16.h"
#include "arith/f16.h"
#include "base/check.h"

namespace bolide::convert {
namespace {

using formats::Form;
using formats::WeightType;
using model::CheckpointFormat;
using model::TensorClass;
using model::TensorSpec;

// Floats of neighbouring codes: `first` is the smallest magnitude, 2^n of its mantissas make a binade. Over four
// binades their root mean square is sqrt(85/4 * 7/3) times the smallest, over one binade sqrt(7/3) times; of four
// powers of two it is sqrt(85/4) times.
constexpr double kRmsOfFourBinades = 7.0415;
constexpr double kRmsOfOneBinade = 1.5275;
constexpr double kRmsOfFourPowers = 4.6098;
// Of all E2M1 codes; of the integers -127 .. 127; of the E4M3 codes below.
constexpr double kRmsOfE2m1 = 2.9262;
constexpr double kRmsOfInt8 = 73.895;
constexpr double kRmsOfE4m3 = 140.95;
// Of d * s * q - dmin * m with d of one binade from 1 on, dmin of one binade from 8 on, s and m of 0 .. 63, q of
// 0 .. 15, all apart. Its mean is -0.06 of that.
constexpr double kRmsOfQ4K = 415.2;

constexpr NumberRule kAllBytes = {.bytes = 1, .spread = 0xff};
constexpr NumberRule kInt8 = {.bytes = 1, .is_int8 = true};
constexpr NumberRule kSixBits = {.bytes = 1, .spread = 63};
// Eight binades up to 448, the largest number, and no NaN.
constexpr NumberRule kE4m3 = {.bytes = 1, .first = 0x3f, .spread = 63, .sign = 0x80};

// BF16 and F32 over four binades from `smallest` on, with a sign.
NumberRule bf16_rule(double smallest) {
  return {
      .bytes = 2, .first = arith::bf16_code(static_cast<float>(smallest)), .spread = (1 << 9) - 1, .sign = 1U << 15};
}
NumberRule f32_rule(double smallest) {
  return {.bytes = 4, .first = dialect::bits(static_cast<float>(smallest)), .spread = (1U << 25) - 1, .sign = 1U << 31};
}
// F16 over one binade from `smallest` on, positive.
NumberRule f16_rule(double smallest) {
  return {.bytes = 2, .first = arith::f16_code(static_cast<float>(smallest)), .spread = (1 << 10) - 1};
}
// Four powers of two from about `smallest` on, as E8M0. (To the nearest power: ilogb takes the one below.)
NumberRule e8m0_rule(double smallest) {
  return {.bytes = 1, .first = static_cast<u32>(127 + std::ilogb(smallest * std::sqrt(2.0))), .spread = 3};
}

constexpr NumberRule kNearOneBf16 = {.bytes = 2, .first = 0x3f60, .spread = 63};  // 0.875 to 1.25
constexpr NumberRule kHalfToOneF32 = {.bytes = 4, .first = 0x3f000000, .spread = (1 << 23) - 1};

// The root mean square that a tensor's values are to have.
double wanted_rms(const TensorSpec& spec) {
  return spec.tensor_class == TensorClass::kEmbedding ? 1 : 1 / std::sqrt(static_cast<double>(spec.packed.columns));
}

bool is_norm(const TensorSpec& spec) {
  const bool engram_weights = spec.tensor_class == TensorClass::kEngramProjection && spec.packed.form == Form::kPlain;
  return engram_weights || (spec.dimensions == 1 && spec.packed.type == WeightType::kBF16);
}

// F32 vectors: the mHC's scale and base, attention sinks, the router's bias.
NumberRule vector_rule(const TensorSpec& spec) {
  if (spec.name.ends_with("_scale")) return kHalfToOneF32;
  if (spec.name.ends_with("gate.bias")) return f32_rule(0x1p-8);
  return f32_rule(0x1p-4);
}

// Of tensors that hold floats, in a packed file and in a checkpoint alike.
NumberRule float_rule(const TensorSpec& spec, bool is_bf16) {
  if (is_norm(spec)) return kNearOneBf16;
  if (spec.dimensions == 1) return vector_rule(spec);
  const double smallest = wanted_rms(spec) / kRmsOfFourBinades;
  return is_bf16 ? bf16_rule(smallest) : f32_rule(smallest);
}

u64 tiled_rows(const formats::PackedShape& shape) {
  return (shape.rows + formats::kTileRows - 1) / formats::kTileRows * formats::kTileRows;
}

NumberPlane packed_scales(const TensorSpec& spec, u64 expert) {
  const formats::PackedShape& shape = spec.packed;
  const double wanted = wanted_rms(spec);
  const u64 blocks = tiled_rows(shape) * (shape.columns / 32);
  NumberPlane plane{.name = spec.expert_scale_name(expert), .runs = {}, .rows = shape.rows};
  switch (shape.type) {
    case WeightType::kQ8_0:
      plane.runs = {{2 * blocks, f16_rule(wanted / (kRmsOfInt8 * kRmsOfOneBinade)), 2}};
      break;
    case WeightType::kMXFP4:
      plane.runs = {{blocks, e8m0_rule(wanted / (kRmsOfE2m1 * kRmsOfFourPowers)), 1}};
      break;
    case WeightType::kQ4_K: {
      // {d, dmin} as one number of 32 bits: dmin's code is d's plus three binades.
      const u32 d = f16_rule(wanted / kRmsOfQ4K).first;
      const u32 d_min = f16_rule(8 * wanted / kRmsOfQ4K).first;
      const NumberRule pair = {.bytes = 4, .first = d | d_min << 16, .spread = 0x3ff'03ff};
      plane.runs = {{blocks / 8 * 4, pair, 4}, {2 * blocks, kSixBits, 2}};
      break;
    }
    default:
      check(false, "only quantized types have scales");
  }
  return plane;
}

NumberRun packed_codes(const TensorSpec& spec) {
  const formats::PackedShape& shape = spec.packed;
  const Result<formats::PlaneBytes> planes = formats::plane_bytes(shape);
  check(planes.ok(), "shapes come from a validated configuration");
  const bool tiled = shape.form == Form::kTiled;
  switch (shape.type) {
    case WeightType::kQ8_0:
      return {planes->codes, kInt8, 32};
    case WeightType::kMXFP4:
    case WeightType::kQ4_K:
      return {planes->codes, kAllBytes, 16};
    case WeightType::kBF16:
      return {planes->codes, float_rule(spec, true), tiled ? 8U : 0U};
    case WeightType::kF32:
      return {planes->codes, float_rule(spec, false), tiled ? 16U : 0U};
    case WeightType::kF16:
      break;
  }
  check(false, "no role of a synthetic model is F16");
  return {};
}

}  // namespace

TensorPlanes packed_planes(const TensorSpec& spec, u64 expert) {
  TensorPlanes planes{.codes = {spec.expert_name(expert), {packed_codes(spec)}, spec.packed.rows}, .scales = {}};
  if (formats::is_quantized(spec.packed.type)) planes.scales = packed_scales(spec, expert);
  return planes;
}

TensorPlanes checkpoint_planes(const TensorSpec& spec, u64 expert) {
  const u64 rows = spec.packed.rows;
  const u64 columns = spec.packed.columns;
  const double wanted = wanted_rms(spec);
  const auto plane = [](std::string name, u64 bytes, const NumberRule& rule) {
    return NumberPlane{.name = std::move(name), .runs = {{bytes, rule, 0}}};
  };
  const auto codes = [&](u64 bytes, const NumberRule& rule) { return plane(spec.expert_name(expert), bytes, rule); };
  const auto scales = [&](u64 bytes, double smallest) {
    return plane(spec.expert_scale_name(expert), bytes, e8m0_rule(smallest));
  };
  switch (spec.checkpoint) {
    case CheckpointFormat::kBf16:
      return {codes(2 * rows * columns, float_rule(spec, true)), std::nullopt};
    case CheckpointFormat::kF32:
      return {codes(4 * rows * columns, float_rule(spec, false)), std::nullopt};
    case CheckpointFormat::kFp8:
      return {codes(rows * columns, kE4m3),
              scales((rows + 31) / 32 * ((columns + 31) / 32), wanted / (kRmsOfE4m3 * kRmsOfFourPowers))};
    case CheckpointFormat::kFp4:
      return {codes(rows * columns / 2, kAllBytes),
              scales(rows * columns / 32, wanted / (kRmsOfE2m1 * kRmsOfFourPowers))};
  }
  return {};
}

TensorPlanes engram_planes(u32 layer, u64 rows, u32 head_dim) {
  return {.codes = {model::engram_codes_name(layer), {{rows * head_dim, kE4m3, 0}}, 0},
          .scales = NumberPlane{model::engram_scales_name(layer),
                                {{rows * head_dim / 32, e8m0_rule(1 / (kRmsOfE4m3 * kRmsOfFourPowers)), 0}},
                                0}};
}

}  // namespace bolide::convert
