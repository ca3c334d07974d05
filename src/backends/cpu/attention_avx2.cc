// Sparse attention with AVX2 (backends/cpu/attention_phases.h).
#if defined(__x86_64__)
#include "backends/cpu/attention_phases.h"
#include "backends/cpu/attention_sets.h"
#include "backends/cpu/lanes_avx2.h"

namespace bolide::backends::cpu {

Attention attention_avx2() {
  using Kernel = AttentionKernel<Avx2Lanes>;
  return {Kernel::decode, Kernel::score, Kernel::weigh, Kernel::add_values};
}

}  // namespace bolide::backends::cpu
#endif
