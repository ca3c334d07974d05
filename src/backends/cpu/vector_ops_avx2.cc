// Work on single vectors with AVX2 (backends/cpu/vector_ops_loops.h).
#if defined(__x86_64__)
#include "backends/cpu/lanes_avx2.h"
#include "backends/cpu/vector_ops_loops.h"
#include "backends/cpu/vector_ops_sets.h"

namespace bolide::backends::cpu {

const VectorLoops& vector_loops_avx2() {
  return Loops<Avx2Lanes>::kTable;
}

}  // namespace bolide::backends::cpu
#endif
