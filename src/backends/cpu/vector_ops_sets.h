// The loops of vector_ops, one table per instruction set; vector_ops.cc chooses among those that this build has.
#pragma once
#include "backends/cpu/vector_ops.h"

namespace bolide::backends::cpu {

const VectorLoops& vector_loops_scalar();
const VectorLoops& vector_loops_avx2();
const VectorLoops& vector_loops_avx512();

}  // namespace bolide::backends::cpu
