#include "backends/cpu/index_score.h"

#include "arith/quantize.h"
#include "arith/quantizers.h"
#include "backends/cpu/index_score_sets.h"
#include "base/check.h"

namespace bolide::backends::cpu {

void IndexQuery::quantize(std::span<const float> q, std::span<const float> weights) {
  check(weights.size() <= kMaxHeads && q.size() == weights.size() * model::kIndexHeadDim, "the shapes of a query fit");
  const std::size_t padded = (weights.size() + 7) / 8 * 8;
  doubled_.assign(padded * model::kIndexHeadDim, 0);
  scales_.assign(padded * model::kIndexGroups, 0.0f);
  starts_.assign(padded * model::kIndexGroups, 0);
  weights_.assign(padded, 0.0f);
  std::copy(weights.begin(), weights.end(), weights_.begin());
  for (std::size_t group = 0; group < q.size() / 32; ++group) {
    const arith::Q4iGroup packed = arith::quantize_q4i(std::span<const float, 32>(&q[32 * group], 32));
    scales_[group] = arith::e8m0_value(packed.scale);
    for (u32 i = 0; i < 32; ++i) {
      const i32 doubled = arith::e2m1_doubled(packed.codes[i]);
      doubled_[group * 32 + i / 8 * 8 + i % 2 * 4 + i % 8 / 2] = static_cast<i8>(doubled);
      starts_[group] -= 12 * doubled;
    }
  }
}

IndexScore index_score(InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::kAvx512) return index_score_avx512();
  if (set == InstructionSet::kAvx2) return index_score_avx2();
#endif
  static_cast<void>(set);
  return index_score_scalar();
}

}  // namespace bolide::backends::cpu
