#include "model/reference/activations.h"

#include <limits>

#include "arith/quantize.h"
#include "arith/reductions.h"

namespace bolide::model {

Activations quantize_activations_ref(std::span<const float> x) {
  Activations result{std::vector<float>(x.size()), std::vector<float>(x.size() / kActivationGroup)};
  for (std::size_t group = 0; group < result.scales.size(); ++group) {
    const std::span<const float> values = x.subspan(group * kActivationGroup, kActivationGroup);
    const float max = arith::max_magnitude(values);
    if (!dialect::is_finite(max)) {
      result.scales[group] = std::numeric_limits<float>::quiet_NaN();
      continue;
    }
    const float scale = arith::q8_scale(max);
    result.scales[group] = scale;
    for (std::size_t i = 0; i < kActivationGroup; ++i) {
      result.codes[group * kActivationGroup + i] = arith::e4m3_value(arith::q8_code(values[i], scale));
    }
  }
  return result;
}

Activations keep_activations(std::span<const float> x) {
  return {std::vector<float>(x.begin(), x.end()), std::vector<float>(x.size() / kActivationGroup, 1.0f)};
}

}  // namespace bolide::model
