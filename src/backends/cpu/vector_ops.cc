#include "backends/cpu/vector_ops.h"

#include <cmath>

#include "arith/functions.h"
#include "arith/quantize.h"
#include "backends/cpu/vector_ops_sets.h"

namespace bolide::backends::cpu {
namespace {

u32 length(std::span<const float> x) {
  return static_cast<u32>(x.size());
}

}  // namespace

const VectorLoops& vector_loops(InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::kAvx512) return vector_loops_avx512();
  if (set == InstructionSet::kAvx2) return vector_loops_avx2();
#endif
  static_cast<void>(set);
  return vector_loops_scalar();
}

float inverse_rms(const VectorLoops& loops, std::span<const float> x, float eps) {
  const float squares = loops.dot(x.data(), x.data(), length(x));
  return arith::rsqrt(squares / static_cast<float>(x.size()) + eps);
}

void norm(const VectorLoops& loops, std::span<const float> x, std::span<const float> w, float eps, std::span<float> y) {
  loops.scale(x.data(), inverse_rms(loops, x, eps), w.data(), y.data(), length(x));
}

void engram_gate(const VectorLoops& loops, std::span<float> h, std::span<const float> key, std::span<const float> value,
                 std::span<const float> q_weight, std::span<const float> k_weight, float eps) {
  const float dot = loops.weighted_dot(q_weight.data(), k_weight.data(), h.data(), key.data(), length(h));
  const float scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(h.size())));
  const float match = (dot * (inverse_rms(loops, h, eps) * inverse_rms(loops, key, eps))) * scale;
  const float root = dialect::sqrt(std::fmax(dialect::magnitude(match), 1e-6f));
  loops.add_scaled(h.data(), arith::sigmoid(std::copysign(root, match)), value.data(), length(h));
}

void encode_window_row(const VectorLoops& loops, std::span<const float, model::kHeadDim> x,
                       std::span<std::byte, model::kWindowRowBytes> row) {
  constexpr u32 kGroups = model::kHeadDim / 32;
  std::array<u32, kGroups> maxima;
  std::array<float, kGroups> scales;
  loops.group_maxima(x.data(), 32, maxima.data(), model::kHeadDim);
  for (u32 group = 0; group < kGroups; ++group) {
    scales[group] = arith::q8_scale(dialect::from_bits(maxima[group]));
    row[model::kHeadDim + group] = static_cast<std::byte>(arith::e8m0_code(scales[group]));
  }
  loops.e4m3_codes(x.data(), scales.data(), row.data(), model::kHeadDim);
}

void encode_compressed_row(const VectorLoops& loops, std::span<const float, model::kHeadDim> x,
                           std::span<std::byte, model::kCompressedRowBytes> row) {
  constexpr u32 kGroups = model::kHeadDim / 16;
  std::array<u32, kGroups> maxima;
  std::array<float, kGroups> scales;
  loops.group_maxima(x.data(), 16, maxima.data(), model::kHeadDim);
  for (u32 group = 0; group < kGroups; ++group) {
    const u8 code = arith::q4k_scale_code(dialect::from_bits(maxima[group]));
    scales[group] = arith::e4m3_value(code);
    row[model::kHeadDim / 2 + group] = static_cast<std::byte>(code);
  }
  loops.e2m1_codes(x.data(), scales.data(), 16, row.data(), model::kHeadDim);
}

void encode_index_row(const VectorLoops& loops, std::span<const float, model::kIndexHeadDim> x,
                      std::span<std::byte, model::kIndexRowBytes> row) {
  constexpr u32 kGroups = model::kIndexHeadDim / 32;
  std::array<u32, kGroups> maxima;
  std::array<float, kGroups> scales;
  loops.group_maxima(x.data(), 32, maxima.data(), model::kIndexHeadDim);
  for (u32 group = 0; group < kGroups; ++group) {
    scales[group] = arith::q4i_scale(dialect::from_bits(maxima[group]));
    row[model::kIndexHeadDim / 2 + group] = static_cast<std::byte>(arith::e8m0_code(scales[group]));
  }
  loops.e2m1_codes(x.data(), scales.data(), 32, row.data(), model::kIndexHeadDim);
}

}  // namespace bolide::backends::cpu
