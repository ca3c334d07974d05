// Numbers in the JSON that scripts read.
#pragma once
#include <string>

namespace bolide::app {

// Appends the shortest decimal form that reads back to the same binary32, also by a reader that goes through binary64
// as most JSON readers do. `value` must be finite.
void append_number(std::string& json, float value);

}  // namespace bolide::app
