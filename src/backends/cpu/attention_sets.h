// The kernels of attention, one table per instruction set; attention.cc chooses among those that this build has.
#pragma once
#include "backends/cpu/attention.h"

namespace bolide::backends::cpu {

Attention attention_scalar();
Attention attention_avx2();
Attention attention_avx512();

}  // namespace bolide::backends::cpu
