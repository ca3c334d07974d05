#include "formats/names.h"

#include <algorithm>

namespace bolide::formats {
namespace {

bool is_visible(char c) {
  return c > ' ' && c <= '~';
}

}  // namespace

bool is_tensor_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxTensorNameBytes && std::ranges::all_of(text, is_visible);
}

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = kMaxTensorNameBytes;
  std::string result(text.substr(0, kLongest));
  std::ranges::replace_if(result, [](char c) { return !is_visible(c) && c != ' '; }, '?');
  if (text.size() > kLongest) result += "...";
  return result;
}

std::string listed(std::span<const u64> numbers) {
  std::string result;
  for (const u64 number : numbers) result += (result.empty() ? "" : ", ") + std::to_string(number);
  return result;
}

}  // namespace bolide::formats
