// Elementary functions of the reference forwards.
#pragma once
#include <cmath>
#include <limits>

namespace bolide::model {

inline float sigmoid(float x) {
  return 1.0f / (1.0f + std::exp(-x));
}

// spec model.md 3.9 step 1.
inline float softplus(float x) {
  return x > 20.0f ? x : std::log1p(std::exp(x));
}

// NaN for what is not finite, so that no clamp, maximum or softmax after it can hide the fault.
inline float finite_or_nan(float x) {
  return std::isfinite(x) ? x : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace bolide::model
