// Rotation angles of a position (spec model.md 3.0: rope, freq, YaRN).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/reference/reference_arithmetic.h"
#include "model/reference/rope_frequencies.h"

namespace bolide::model {
namespace {

constexpr u32 kPairs = 32;
constexpr float kRopeDim = 2 * kPairs;

// The (fractional) pair whose angle turns `rotations` times over the original length.
double pair_of(double rotations, double original_length, double base) {
  return kRopeDim * std::log(original_length / (2.0 * std::numbers::pi * rotations)) / (2.0 * std::log(base));
}

}  // namespace

std::array<float, 32> rope_frequencies(double base) {
  std::array<float, 32> frequencies;
  for (u32 i = 0; i < kPairs; ++i) {
    frequencies[i] = 1.0f / std::pow(static_cast<float>(base), static_cast<float>(2 * i) / kRopeDim);
  }
  return frequencies;
}

std::array<float, 32> yarn_frequencies(const Config& config) {
  std::array<float, 32> frequencies = rope_frequencies(config.compress_rope_theta);
  if (config.original_length == 0) return frequencies;
  const auto length = static_cast<double>(config.original_length);
  const double base = config.compress_rope_theta;
  const double low = std::max(std::floor(pair_of(config.beta_fast, length, base)), 0.0);
  const double high = std::min(std::ceil(pair_of(config.beta_slow, length, base)), kRopeDim - 1.0);
  for (u32 i = 0; i < kPairs; ++i) {
    const auto ramp = static_cast<float>(std::clamp((i - low) / std::max(high - low, 1e-3), 0.0, 1.0));
    const float smooth = 1.0f - ramp;
    const float stretched = frequencies[i] / static_cast<float>(config.rope_factor);
    frequencies[i] = stretched * (1.0f - smooth) + frequencies[i] * smooth;
  }
  return frequencies;
}

RopeRow ReferenceArithmetic::rope_row(RopeKind kind, u64 position) const {
  const auto& frequencies = kind == RopeKind::kPlain ? plain_frequencies_ : compressed_frequencies_;
  RopeRow row;
  for (u32 i = 0; i < kPairs; ++i) {
    const float angle = static_cast<float>(position) * frequencies[i];
    row.cos[i] = std::cos(angle);
    row.sin[i] = std::sin(angle);
  }
  return row;
}

}  // namespace bolide::model
