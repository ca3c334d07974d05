// rms(x, w) (spec model.md 3.0).
#include <cmath>

#include "arith/bf16.h"
#include "model/reference/dot.h"
#include "model/reference/reference_arithmetic.h"

namespace bolide::model {

void ReferenceArithmetic::norm(std::span<const float> x, std::span<const float> w, std::span<float> y) const {
  const float r = 1.0f / std::sqrt(mean_square(x) + norm_eps_);
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = arith::bf16_nearest(w[i] * (x[i] * r));
}

}  // namespace bolide::model
