// Room for several files that are written at the same time.
#pragma once
#include <string>

#include "base/result.h"
#include "base/types.h"

namespace bolide::convert {

// Each file checks its own size when it is made, but none knows of the others, and none has taken its room yet. `path`
// is one of them.
Status check_room(const std::string& path, u64 bytes_of_all);

}  // namespace bolide::convert
