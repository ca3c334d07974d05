// Names of tool calls for clients (prompt-format.md section 8.7).
#pragma once
#include <string>
#include <string_view>

namespace bolide::text {

// `prefix` and 24 letters and digits that nobody can guess, because what was sampled is looked up by them
// (sampled_turns.h). Never the same twice.
std::string new_call_id(std::string_view prefix);

}  // namespace bolide::text
