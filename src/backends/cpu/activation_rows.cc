#include "backends/cpu/activation_rows.h"

#include <algorithm>
#include <array>

#include "arith/quantize.h"
#include "base/check.h"

namespace bolide::backends::cpu {
namespace {

using Block = std::array<i8, 32>;

struct BlockScale {
  float factor;
  i32 sum;
};

BlockScale quantize_block(const float* x, Block& codes) {
  u32 largest_bits = 0;
  for (u32 i = 0; i < 32; ++i) largest_bits = std::max(largest_bits, dialect::bits(x[i]) & 0x7fffffffu);
  const float largest = dialect::from_bits(largest_bits);
  codes.fill(0);
  if (!dialect::is_finite(largest)) return {dialect::from_bits(0x7fc00000u), 0};
  if (arith::activation_is_zero(largest)) return {0.0f, 0};
  const float inverse = arith::activation_inverse(largest);
  i32 sum = 0;
  for (u32 i = 0; i < 32; ++i) {
    const i32 code = arith::activation_code(x[i], inverse);
    codes[i] = static_cast<i8>(code);
    sum += code;
  }
  return {arith::activation_scale(largest), sum};
}

// Of every eight codes the even four first.
Block even_before_odd(const Block& codes) {
  Block ordered;
  for (u32 i = 0; i < 32; ++i) ordered[i / 8 * 8 + i % 2 * 4 + i % 8 / 2] = codes[i];
  return ordered;
}

}  // namespace

void ActivationRows::quantize(std::span<const float> x, u32 k, model::MatrixType weights) {
  check(k > 0 && k % 32 == 0 && x.size() % k == 0, "activations come in whole rows of whole blocks");
  k_ = k;
  count_ = static_cast<u32>(x.size() / k);
  nibbles_ = weights != model::MatrixType::kQ8_0;
  codes_.resize(x.size());
  factors_.resize(x.size() / 32);
  sums_.resize(x.size() / 32);
  starts_.resize(x.size() / 32);
  Block block;
  for (std::size_t b = 0; b < x.size() / 32; ++b) {
    const BlockScale scale = quantize_block(&x[b * 32], block);
    factors_[b] = scale.factor;
    sums_[b] = scale.sum;
    starts_[b] = -unsigned_offset(weights) * scale.sum;
    if (nibbles_) block = even_before_odd(block);
    std::copy(block.begin(), block.end(), &codes_[b * 32]);
  }
}

}  // namespace bolide::backends::cpu
