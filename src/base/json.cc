#include "base/json.h"

#include <boost/json/error.hpp>
#include <boost/json/parse.hpp>
#include <exception>
#include <fmt/format.h>

namespace bolide {

Result<boost::json::value> parse_json(std::string_view text, std::string_view what, std::size_t max_depth) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return Error{fmt::format("{}: is empty, but JSON is wanted", what)};
  }
  boost::json::parse_options options;
  options.max_depth = max_depth;
  boost::json::error_code code;
  try {
    boost::json::value value =
        boost::json::parse(boost::json::string_view(text.data(), text.size()), code, {}, options);
    if (code == boost::json::error::incomplete) {
      return Error{fmt::format("{}: not valid JSON: it ends in the middle; maybe it was cut", what)};
    }
    if (code) return Error{fmt::format("{}: not valid JSON: {}", what, code.message())};
    return value;
  } catch (const std::exception& failure) {  // out of memory, or a size beyond the library's limits
    return Error{fmt::format("{}: cannot be read as JSON: {}", what, failure.what())};
  }
}

}  // namespace bolide
