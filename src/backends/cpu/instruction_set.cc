#include "backends/cpu/instruction_set.h"

namespace bolide::backends::cpu {

std::string_view name(InstructionSet set) {
  switch (set) {
    case InstructionSet::kScalar:
      return "scalar";
    case InstructionSet::kAvx2:
      return "avx2";
    case InstructionSet::kAvx512:
      return "avx512";
  }
  return "unknown";
}

std::vector<InstructionSet> present_instruction_sets() {
  std::vector<InstructionSet> sets = {InstructionSet::kScalar};
#if defined(__x86_64__)
  // These ask the operating system, too, whether it keeps the registers.
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) sets.push_back(InstructionSet::kAvx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512vnni")) {
    sets.push_back(InstructionSet::kAvx512);
  }
#endif
  return sets;
}

}  // namespace bolide::backends::cpu
