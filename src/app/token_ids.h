// Lists of token ids as the commands read and print them: a JSON array of whole numbers.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace bolide::app {

// Parses `[1, 2, ...]`, or an object that holds such a list under "ids" (as the goldens do). Every id must be below
// `vocab_size`; errors begin with `what` and name index and value.
Result<std::vector<u32>> parse_token_ids(std::string_view json, std::string_view what, u64 vocab_size);

// The same for a file, or for stdin where `path` is "-".
Result<std::vector<u32>> read_token_ids(const std::string& path, u64 vocab_size);

// "[1,2,3]"
std::string format_token_ids(std::span<const u32> ids);

}  // namespace bolide::app
