// The sums that REF leaves unordered, in one fixed order.
#pragma once
#include <span>

#include "base/types.h"

namespace bolide::model {

// Sum of x[i] * y[i] in binary32. Eight accumulators take the elements i mod 8 in ascending order, so that the compiler
// can keep them in one vector; they are folded in halves. Sizes are equal.
float dot(std::span<const float> x, std::span<const float> y);

// dot(x, x) / n.
float mean_square(std::span<const float> x);

}  // namespace bolide::model
