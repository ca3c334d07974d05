// A share of some work.
#pragma once
#include "base/types.h"

namespace bolide::backends::cpu {

// Parts [first, end).
struct PartRange {
  u32 first;
  u32 end;
};

}  // namespace bolide::backends::cpu
