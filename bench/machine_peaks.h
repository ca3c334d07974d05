// What this machine can do at most, measured beside a benchmark in the same run.
#pragma once
#include "base/types.h"

namespace bolide::bench {

// Bytes a second that `threads` threads read from memory together: the best of several passes over 1 GiB each.
double read_bandwidth(u32 threads);
// Operations (a multiplication and an addition are two) a second of int8 dot products in registers on one thread, and
// of binary32 fused multiply-adds, with the widest instructions that this processor has; best of several loops.
double int8_peak();
double float_peak();

}  // namespace bolide::bench
