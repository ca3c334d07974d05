#include "backends/cpu/matvec_q.h"

#include "backends/cpu/matvec_q_sets.h"

namespace bolide::backends::cpu {

MatvecQ matvec_q(InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::kAvx512) return matvec_q_avx512;
  if (set == InstructionSet::kAvx2) return matvec_q_avx2;
#endif
  static_cast<void>(set);
  return matvec_q_scalar;
}

}  // namespace bolide::backends::cpu
