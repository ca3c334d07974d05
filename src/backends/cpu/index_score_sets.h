// The kernels of index_score, one table per instruction set; index_score.cc chooses among those that this build has.
#pragma once
#include "backends/cpu/index_score.h"

namespace bolide::backends::cpu {

IndexScore index_score_scalar();
IndexScore index_score_avx2();
IndexScore index_score_avx512();

}  // namespace bolide::backends::cpu
