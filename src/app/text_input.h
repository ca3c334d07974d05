// The text that a command works on.
#pragma once
#include <string>

#include "base/result.h"

namespace bolide::app {

// All of a file, or of stdin where `path` is "-".
Result<std::string> read_text_input(const std::string& path);

}  // namespace bolide::app
