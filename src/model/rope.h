// Rotary positions (spec model.md 3.0): the last 64 elements of a vector as 32 adjacent pairs.
#pragma once
#include <span>

#include "model/arithmetic.h"
#include "model/state_layout.h"

namespace bolide::model {

// Rotates the last kRopeDim elements of x forward; each result is rounded to bf16.
void rotate(std::span<float> x, const RopeRow& row);
// The opposite rotation, of attention outputs.
void rotate_back(std::span<float> x, const RopeRow& row);

}  // namespace bolide::model
