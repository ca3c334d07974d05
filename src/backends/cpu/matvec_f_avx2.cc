// Rows times a matrix of float weights with AVX2 (backends/cpu/matvec_f_panels.h).
#if defined(__x86_64__)
#include "backends/cpu/lanes_avx2.h"
#include "backends/cpu/matvec_f_panels.h"
#include "backends/cpu/matvec_f_sets.h"

namespace bolide::backends::cpu {

MatvecF matvec_f_avx2() {
  using Kernel = MatvecFKernel<Avx2Lanes>;
  return {Kernel::panels, Kernel::segments};
}

}  // namespace bolide::backends::cpu
#endif
