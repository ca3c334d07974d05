#include "backends/cpu/matvec_f.h"

#include <algorithm>

#include "backends/cpu/matvec_f_sets.h"

namespace bolide::backends::cpu {

MatvecF matvec_f(InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::kAvx512) return matvec_f_avx512();
  if (set == InstructionSet::kAvx2) return matvec_f_avx2();
#endif
  static_cast<void>(set);
  return matvec_f_scalar();
}

void fold_segments(const FloatPanels& w, std::span<const float> sums, float* y, u64 y_stride) {
  const u64 row_sums = u64{segment_parts(w)} * FloatPanels::kRows;
  const bool has_empty_segments = w.segments() < arith::float_segments(w.k());
  for (u64 r = 0; r < sums.size() / row_sums; ++r) {
    for (u32 i = 0; i < w.rows(); ++i) {
      const u32 panel = i / FloatPanels::kRows;
      const float* sum = &sums[r * row_sums + u64{panel} * w.segments() * FloatPanels::kRows + i % FloatPanels::kRows];
      float total = *sum;
      for (u32 segment = 1; segment < w.segments(); ++segment) total = total + sum[u64{segment} * FloatPanels::kRows];
      y[r * y_stride + i] = has_empty_segments ? total + 0.0f : total;
    }
  }
}

}  // namespace bolide::backends::cpu
