// Work on single vectors with AVX-512 (backends/cpu/vector_ops_loops.h).
#if defined(__x86_64__)
#include "backends/cpu/lanes_avx512.h"
#include "backends/cpu/vector_ops_loops.h"
#include "backends/cpu/vector_ops_sets.h"

namespace bolide::backends::cpu {

const VectorLoops& vector_loops_avx512() {
  return Loops<Avx512Lanes>::kTable;
}

}  // namespace bolide::backends::cpu
#endif
