// Rows times a matrix of float weights in plain C++ (backends/cpu/matvec_f_panels.h).
#include "backends/cpu/lanes_scalar.h"
#include "backends/cpu/matvec_f_panels.h"
#include "backends/cpu/matvec_f_sets.h"

namespace bolide::backends::cpu {

MatvecF matvec_f_scalar() {
  using Kernel = MatvecFKernel<ScalarLanes>;
  return {Kernel::panels, Kernel::segments};
}

}  // namespace bolide::backends::cpu
