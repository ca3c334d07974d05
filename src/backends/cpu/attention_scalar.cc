// Sparse attention in plain C++ (backends/cpu/attention_phases.h).
#include "backends/cpu/attention_phases.h"
#include "backends/cpu/attention_sets.h"
#include "backends/cpu/lanes_scalar.h"

namespace bolide::backends::cpu {

Attention attention_scalar() {
  using Kernel = AttentionKernel<ScalarLanes>;
  return {Kernel::decode, Kernel::score, Kernel::weigh, Kernel::add_values};
}

}  // namespace bolide::backends::cpu
