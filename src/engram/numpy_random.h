// NumPy's default generator, as far as the official Engram multipliers need it (spec model.md 3.2).
#pragma once
#include <vector>

#include "base/types.h"

namespace bolide::engram {

// numpy.random.default_rng(seed).integers(0, bound, size=n): PCG64 (XSL-RR) behind a SeedSequence, bounded by Lemire's
// method. `bound` is above 2^32 (below, NumPy draws 32 bits at a time).
std::vector<u64> numpy_integers(u32 seed, u64 bound, u32 n);

}  // namespace bolide::engram
