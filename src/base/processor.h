// The processor the program runs on, against the one it was compiled for
// (docs/decisions/0002-processor-baseline.md).
#pragma once
#include <string>

#include "base/result.h"

namespace bolide {

// The instruction set extensions Bolide is compiled for and this processor lacks, separated by ", "; empty when it has
// all of them.
std::string missing_extensions();

// Good when this processor can run Bolide; else an error that names `missing`, the extensions it lacks.
// main() asks first, because a missing extension shows itself otherwise as "Illegal instruction" in some later place.
Status check_processor(const std::string& missing = missing_extensions());

}  // namespace bolide
