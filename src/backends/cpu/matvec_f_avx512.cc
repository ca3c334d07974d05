// Rows times a matrix of float weights with AVX-512 (backends/cpu/matvec_f_panels.h).
#if defined(__x86_64__)
#include "backends/cpu/lanes_avx512.h"
#include "backends/cpu/matvec_f_panels.h"
#include "backends/cpu/matvec_f_sets.h"

namespace bolide::backends::cpu {

MatvecF matvec_f_avx512() {
  using Kernel = MatvecFKernel<Avx512Lanes>;
  return {Kernel::panels, Kernel::segments};
}

}  // namespace bolide::backends::cpu
#endif
