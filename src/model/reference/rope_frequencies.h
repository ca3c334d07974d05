// The 32 rotation frequencies of the reference forwards (spec model.md 3.0).
#pragma once
#include <array>

#include "model/config.h"

namespace bolide::model {

// freq[i] = 1 / base^(2i/64).
std::array<float, 32> rope_frequencies(double base);
// Those of the layers with compressed caches: base compress_rope_theta, stretched by YaRN.
std::array<float, 32> yarn_frequencies(const Config& config);

}  // namespace bolide::model
