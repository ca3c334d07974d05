// JSON of untrusted files: parsed with bounds, read without exceptions. Values are Boost.JSON's; use its `if_*`
// accessors.
#pragma once
#include <boost/json/value.hpp>
#include <string_view>

#include "base/result.h"

namespace bolide {

// Parses one JSON document. `what` names the document in errors (a path). At most `max_depth` levels; UTF-8 is checked.
Result<boost::json::value> parse_json(std::string_view text, std::string_view what, std::size_t max_depth = 64);

}  // namespace bolide
