#include "arith/quantizers.h"

#include <algorithm>
#include <limits>

#include "arith/f16.h"
#include "arith/quantize.h"
#include "arith/reductions.h"
#include "base/check.h"

namespace bolide::arith {

Q8Group quantize_q8(std::span<const float, 32> x) {
  const float scale = q8_scale(max_magnitude(x));
  Q8Group group;
  group.scale = e8m0_code(scale);
  for (std::size_t i = 0; i < 32; ++i) group.codes[i] = q8_code(x[i], scale);
  return group;
}

Q4iGroup quantize_q4i(std::span<const float, 32> x) {
  const float scale = q4i_scale(max_magnitude(x));
  Q4iGroup group;
  group.scale = e8m0_code(scale);
  for (std::size_t i = 0; i < 32; ++i) group.codes[i] = q4i_code(x[i], scale);
  return group;
}

Q4kGroup quantize_q4k(std::span<const float, 16> x) {
  Q4kGroup group;
  group.scale = q4k_scale_code(max_magnitude(x));
  const float scale = e4m3_value(group.scale);
  for (std::size_t i = 0; i < 16; ++i) group.codes[i] = q4k_code(x[i], scale);
  return group;
}

QuantizedActivations quantize_activations(std::span<const float> x) {
  check(x.size() % 32 == 0, "every K of version 1 is a multiple of 32");
  const std::size_t blocks = x.size() / 32;
  QuantizedActivations result{std::vector<i8>(x.size()), std::vector<float>(blocks), std::vector<i32>(blocks)};
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::span<const float> block = x.subspan(32 * b, 32);
    const float largest = max_magnitude(block);
    if (activation_is_zero(largest)) continue;  // d = 0, all q = 0
    if (!dialect::is_finite(largest)) {
      result.d[b] = std::numeric_limits<float>::quiet_NaN();
      continue;
    }
    const float inverse = activation_inverse(largest);
    result.d[b] = activation_scale(largest);
    for (std::size_t i = 0; i < 32; ++i) {
      const i32 code = activation_code(block[i], inverse);
      result.q[32 * b + i] = static_cast<i8>(code);
      result.sum[b] += code;
    }
  }
  return result;
}

bool quantize_q8_0(std::span<const double, 32> w, Q8_0Block& block) {
  // Weights have at most 24 significant bits and a normal exponent where it matters, so binary32 holds them exactly.
  // Plain loops without calls: a checkpoint has billions of blocks, and the compiler vectorizes these.
  std::array<float, 32> x;
  for (std::size_t i = 0; i < 32; ++i) x[i] = static_cast<float>(w[i]);
  u32 largest = 0;  // of the magnitudes' bits, which order like the magnitudes
  for (std::size_t i = 0; i < 32; ++i) largest = std::max(largest, dialect::bits(x[i]) & 0x7fffffffu);
  block.d = f16_code(dialect::from_bits(largest) / 127.0f);
  const float d = f16_value(block.d);
  if (!dialect::is_finite(d)) return false;
  if (d == 0.0f) {
    block.q.fill(0);
    return true;
  }
  for (std::size_t i = 0; i < 32; ++i) {
    block.q[i] = static_cast<i8>(static_cast<i32>(clamp_magnitude(dialect::rint(x[i] / d), 127.0f)));
  }
  return true;
}

}  // namespace bolide::arith
