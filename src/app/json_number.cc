#include "app/json_number.h"

#include <bit>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <string_view>

#include "base/types.h"

namespace bolide::app {
namespace {

bool reads_back(std::string_view text, float value) {
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return std::bit_cast<u32>(static_cast<float>(number)) == std::bit_cast<u32>(value);
}

}  // namespace

void append_number(std::string& json, float value) {
  const std::size_t start = json.size();
  fmt::format_to(std::back_inserter(json), "{}", value);
  // "-0" is a whole number to JSON readers, and those have no negative zero.
  if (std::string_view(json).substr(start) == "-0") json += ".0";
  if (reads_back(std::string_view(json).substr(start), value)) return;
  // Rounding twice went astray, as for 7.038531e-26; nine digits are too close to the value for that.
  json.resize(start);
  fmt::format_to(std::back_inserter(json), "{:.9g}", value);
}

}  // namespace bolide::app
