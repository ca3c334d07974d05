#include "backends/cpu/activation_rows.h"

#include <cstring>

#include "arith/quantize.h"
#include "backends/cpu/vector_ops.h"
#include "base/check.h"

namespace bolide::backends::cpu {
namespace {

// Of each eight bytes those at even places first. Each step exchanges the middle two of four: bytes, then pairs.
void put_even_before_odd(i8* codes) {
  for (u32 i = 0; i < 32; i += 8) {
    u64 eight;
    std::memcpy(&eight, codes + i, 8);
    const u64 bytes = (eight ^ (eight >> 8)) & 0x0000ff000000ff00u;
    eight ^= bytes ^ (bytes << 8);
    const u64 pairs = (eight ^ (eight >> 16)) & 0x00000000ffff0000u;
    eight ^= pairs ^ (pairs << 16);
    std::memcpy(codes + i, &eight, 8);
  }
}

}  // namespace

void ActivationRows::quantize(std::span<const float> x, u32 k, model::MatrixType weights, InstructionSet set) {
  check(k > 0 && k % 32 == 0 && x.size() % k == 0, "activations come in whole rows of whole blocks");
  const std::size_t blocks = x.size() / 32;
  k_ = k;
  count_ = static_cast<u32>(x.size() / k);
  nibbles_ = weights != model::MatrixType::kQ8_0;
  codes_.resize(x.size());
  factors_.resize(blocks);
  sums_.resize(blocks);
  starts_.resize(blocks);
  maxima_.resize(blocks);
  inverses_.resize(blocks);
  const VectorLoops& loops = vector_loops(set);
  for (u32 r = 0; r < count_; ++r) loops.group_maxima(&x[u64{r} * k], 32, &maxima_[u64{r} * (k / 32)], k);
  for (std::size_t b = 0; b < blocks; ++b) {
    const float largest = dialect::from_bits(maxima_[b]);
    const bool counts = dialect::is_finite(largest) && !arith::activation_is_zero(largest);
    inverses_[b] = counts ? arith::activation_inverse(largest) : 0.0f;
    factors_[b] = counts ? arith::activation_scale(largest) : 0.0f;
  }
  for (u32 r = 0; r < count_; ++r) {
    const u64 first = u64{r} * (k / 32);
    loops.activation_codes(&x[u64{r} * k], &inverses_[first], &codes_[u64{r} * k], &sums_[first], k);
  }
  for (std::size_t b = 0; b < blocks; ++b) {
    if (!dialect::is_finite(dialect::from_bits(maxima_[b]))) {
      factors_[b] = dialect::from_bits(0x7fc00000u);
      sums_[b] = 0;
    }
    starts_[b] = -unsigned_offset(weights) * sums_[b];
    if (nibbles_) put_even_before_odd(&codes_[b * 32]);
  }
}

}  // namespace bolide::backends::cpu
