// Activations on their way into a quantized matrix (design: arithmetic.md rule 2): rounded to int8 per 32 values, and
// put into the order in which the kernels unpack that matrix's weights.
#pragma once
#include <span>
#include <vector>

#include "backends/cpu/instruction_set.h"
#include "base/types.h"
#include "model/weights.h"

namespace bolide::backends::cpu {

// What makes every weight of a type unsigned. (MXFP4 weights are twice their values, integers from -12 to 12.)
constexpr i32 unsigned_offset(model::MatrixType weights) {
  if (weights == model::MatrixType::kQ8_0) return 128;
  return weights == model::MatrixType::kMxfp4 ? 12 : 0;
}

// The rows of one step. Keeps its memory from step to step.
class ActivationRows {
 public:
  // x: [rows][k] binary32 values, k a multiple of 32; `weights` is the type of the matrices that they will meet. A
  // block with a non-finite value gets the factor NaN, which reaches every result that it is part of.
  void quantize(std::span<const float> x, u32 k, model::MatrixType weights, InstructionSet set);

  u32 count() const { return count_; }
  u32 k() const { return k_; }
  bool nibbles() const { return nibbles_; }
  // Of row r: k codes; per block of 32 the factor and the exact sum of the codes.
  const i8* codes(u32 r) const { return &codes_[u64{r} * k_]; }
  const float* factors(u32 r) const { return &factors_[u64{r} * (k_ / 32)]; }
  const i32* sums(u32 r) const { return &sums_[u64{r} * (k_ / 32)]; }
  // Where the integer sum of a block starts for kernels that add unsigned_offset(weights) to every weight.
  const i32* starts(u32 r) const { return &starts_[u64{r} * (k_ / 32)]; }

 private:
  u32 count_ = 0;
  u32 k_ = 0;
  // Four-bit weights come out of a byte as an even and an odd element, so of every eight codes the even four come
  // first.
  bool nibbles_ = false;
  std::vector<i8> codes_;
  std::vector<float> factors_;
  std::vector<i32> sums_;
  std::vector<i32> starts_;
  // Of each block the bits of its largest magnitude, and 127 over it.
  std::vector<u32> maxima_;
  std::vector<float> inverses_;
};

}  // namespace bolide::backends::cpu
