// Activations as they enter an FP8 or FP4 matrix: Q8 of spec model.md 3.0.
#pragma once
#include <span>
#include <vector>

#include "base/types.h"

namespace bolide::model {

constexpr u32 kActivationGroup = 32;

// value of element i = codes[i] * scales[i / 32]; codes are E4M3 values, scales powers of two. A group with a value
// that is not finite gets the scale NaN.
struct Activations {
  std::vector<float> codes;
  std::vector<float> scales;
};

// x.size() is a multiple of 32.
Activations quantize_activations_ref(std::span<const float> x);
// As they are, with scales of 1: the plain forward.
Activations keep_activations(std::span<const float> x);

}  // namespace bolide::model
