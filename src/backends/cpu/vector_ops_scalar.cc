// Work on single vectors in plain C++ (backends/cpu/vector_ops_loops.h).
#include "backends/cpu/lanes_scalar.h"
#include "backends/cpu/vector_ops_loops.h"
#include "backends/cpu/vector_ops_sets.h"

namespace bolide::backends::cpu {

const VectorLoops& vector_loops_scalar() {
  return Loops<ScalarLanes>::kTable;
}

}  // namespace bolide::backends::cpu
