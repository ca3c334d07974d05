// Files with what a person said: only their owner may read them, and they are there whole or not at all.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace bolide::app {

// What to do where the path is taken.
enum class Existing { kRefuse, kReplace };

// Writes the file beside its place and then gives it its name in one step, so that neither a crash nor a full disk
// leaves half a file, or harms the one before. A folder, a device and the like are never replaced.
Status write_private_file(const std::string& path, std::string_view content, Existing existing);

}  // namespace bolide::app
