// The ordered reductions of A1 (design: arithmetic.md rules 2, 3 and 4): the order of every addition is part of the
// result. These are the oracle's definition; backends write their own and are compared with it.
#pragma once
#include <span>

#include "base/types.h"

namespace bolide::arith {

// Rule 4: element i goes to accumulator i mod 256 in ascending order, then the 256 are halved to one.
float ordered_sum(std::span<const float> x);
float ordered_sum_of_squares(std::span<const float> x);
// Accumulates x[i] * y[i] by fma in the same order.
float ordered_dot(std::span<const float> x, std::span<const float> y);

// Rules 2 and 3: the blocks of 32 of a matrix row are cut into contiguous segments of this many blocks.
constexpr u32 segment_blocks(u32 blocks, u32 segments) {
  return (blocks + segments - 1) / segments;
}
constexpr u32 kQuantizedSegments = 16;
constexpr u32 float_segments(u32 k) {
  return k > 8192 ? 64 : 16;
}

// The largest magnitude, compared on the bits, so that infinity and NaN come out largest and are seen (rule 0). 0 if
// empty.
float max_magnitude(std::span<const float> x);

}  // namespace bolide::arith
