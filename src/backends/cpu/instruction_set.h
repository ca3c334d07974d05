// The instruction sets that the CPU kernels are written for. A kernel has one file per set, compiled with that set's
// flags (src/CMakeLists.txt); which one runs is chosen once, at start.
#pragma once
#include <string_view>
#include <vector>

#include "base/types.h"

namespace bolide::backends::cpu {

enum class InstructionSet : u8 {
  kScalar,  // plain C++, everywhere
  kAvx2,    // with FMA and F16C: the level Bolide is compiled for on x86-64
  kAvx512,  // F, BW, VL and VNNI
};

std::string_view name(InstructionSet set);

// What this processor and operating system can run, from the slowest to the fastest; kScalar is always first.
std::vector<InstructionSet> present_instruction_sets();

}  // namespace bolide::backends::cpu
