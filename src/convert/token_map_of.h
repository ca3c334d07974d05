// The Engram's token map from a tokenizer.json (engram/token_map.h).
#pragma once
#include <string_view>

#include "base/result.h"
#include "engram/token_map.h"

namespace bolide::convert {

// `what` names the file in errors.
Result<engram::TokenMap> token_map_of(std::string_view tokenizer_json, std::string_view what);

}  // namespace bolide::convert
