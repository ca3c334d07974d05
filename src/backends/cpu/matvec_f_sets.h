// The kernels of matvec_f, one pair per instruction set; matvec_f.cc chooses among those that this build has.
#pragma once
#include "backends/cpu/matvec_f.h"

namespace bolide::backends::cpu {

MatvecF matvec_f_scalar();
MatvecF matvec_f_avx2();
MatvecF matvec_f_avx512();

}  // namespace bolide::backends::cpu
