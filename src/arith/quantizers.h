// Whole groups through the quantizers of arith/quantize.h (host side).
#pragma once
#include <array>
#include <span>
#include <vector>

#include "base/types.h"

namespace bolide::arith {

// One group of 32 in E4M3 with an E8M0 scale (window rows). x must be finite.
struct Q8Group {
  std::array<u8, 32> codes;
  u8 scale;
};
Q8Group quantize_q8(std::span<const float, 32> x);

// One group of 32 in E2M1 with an E8M0 scale (index queries and keys). Codes are one to a byte.
struct Q4iGroup {
  std::array<u8, 32> codes;
  u8 scale;
};
Q4iGroup quantize_q4i(std::span<const float, 32> x);

// One group of 16 in E2M1 with an E4M3 scale (compressed rows). Codes are one to a byte.
struct Q4kGroup {
  std::array<u8, 16> codes;
  u8 scale;
};
Q4kGroup quantize_q4k(std::span<const float, 16> x);

// An activation vector as it enters a quantized matrix (rule 2): per block of 32 integers q, a factor d and the exact
// sum of q. A block with a non-finite value gets d = NaN, so that the fault reaches the result and is seen there.
struct QuantizedActivations {
  std::vector<i8> q;
  std::vector<float> d;
  std::vector<i32> sum;
};
QuantizedActivations quantize_activations(std::span<const float> x);

// One block of 32 weights as Q8_0 (rule 2, the converter's rule).
struct Q8_0Block {
  std::array<i8, 32> q;
  u16 d;  // F16 code
};
// False if the block's scale overflows F16 (an infinite h is refused).
bool quantize_q8_0(std::span<const double, 32> w, Q8_0Block& block);

}  // namespace bolide::arith
