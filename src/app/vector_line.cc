#include "app/vector_line.h"

#include <bit>
#include <charconv>
#include <fmt/format.h>

namespace bolide::app {

using boost::json::value;

void VectorLine::fail(std::string message) {
  if (!fault_) fault_ = fmt::format("{}, op {}: {}", place_, op(), message);
}

std::string VectorLine::op() const {
  const value* found = fields_.if_contains("op");
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : "?";
}

// Blank-separated hexadecimal numbers, each with all its digits.
template <class T>
std::vector<T> VectorLine::numbers(std::string_view field) {
  const value* found = fields_.if_contains(field);
  if (found == nullptr || !found->is_string()) {
    fail(fmt::format("field {} must be a string of hexadecimal numbers", field));
    return {};
  }
  std::vector<T> result;
  const std::string_view text = found->get_string();
  for (std::size_t at = 0; at < text.size(); at += 2 * sizeof(T) + 1) {
    T number = 0;
    const char* begin = text.data() + at;
    const char* end = begin + std::min(2 * sizeof(T), text.size() - at);
    const bool ends_well = at + 2 * sizeof(T) == text.size() || (end < text.data() + text.size() && *end == ' ');
    if (const auto [stop, code] = std::from_chars(begin, end, number, 16);
        code != std::errc() || stop != end || !ends_well) {
      fail(fmt::format("field {}: no {}-digit hexadecimal number at character {}", field, 2 * sizeof(T), at));
      return {};
    }
    result.push_back(number);
  }
  return result;
}

std::vector<u8> VectorLine::bytes(std::string_view field) {
  return numbers<u8>(field);
}
std::vector<u16> VectorLine::halves(std::string_view field) {
  return numbers<u16>(field);
}
std::vector<u32> VectorLine::words(std::string_view field) {
  return numbers<u32>(field);
}
std::vector<u64> VectorLine::longs(std::string_view field) {
  return numbers<u64>(field);
}

std::vector<float> VectorLine::floats(std::string_view field) {
  std::vector<float> result;
  for (const u32 bits : words(field)) result.push_back(std::bit_cast<float>(bits));
  return result;
}

float VectorLine::scalar(std::string_view field) {
  const std::vector<float> values = floats(field);
  return need(values.size() == 1, "one number is expected") ? values[0] : 0.0f;
}

u64 VectorLine::integer(std::string_view field) {
  const value* found = fields_.if_contains(field);
  if (found != nullptr && found->is_int64() && found->get_int64() >= 0) return static_cast<u64>(found->get_int64());
  fail(fmt::format("field {} must be a whole number", field));
  return 0;
}

bool VectorLine::need(bool condition, std::string_view why) {
  if (!condition) fail(std::string(why));
  return !failed();
}

template <class T>
void VectorLine::compare(std::string_view field, std::span<const T> found) {
  const std::vector<T> wanted = numbers<T>(field);
  if (failed()) return;
  if (wanted.size() != found.size())
    return fail(fmt::format("{} has {} values, expected {}", field, found.size(), wanted.size()));
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == wanted[i]) continue;
    return fail(fmt::format("{}[{}] is {:0{}x}, expected {:0{}x}", field, i, found[i], 2 * sizeof(T), wanted[i],
                            2 * sizeof(T)));
  }
}

void VectorLine::expect(std::string_view field, std::span<const u8> found) {
  compare(field, found);
}
void VectorLine::expect(std::string_view field, std::span<const u16> found) {
  compare(field, found);
}
void VectorLine::expect(std::string_view field, std::span<const u32> found) {
  compare(field, found);
}

void VectorLine::expect(std::string_view field, std::span<const float> found) {
  std::vector<u32> bits;
  for (const float x : found) bits.push_back(std::bit_cast<u32>(x));
  compare(field, std::span<const u32>(bits));
}

void VectorLine::expect_integers(std::string_view field, std::span<const u32> found) {
  const value* list = fields_.if_contains(field);
  if (list == nullptr || !list->is_array()) return fail(fmt::format("field {} must be a list of whole numbers", field));
  if (list->get_array().size() != found.size()) {
    return fail(fmt::format("{} has {} values, expected {}", field, found.size(), list->get_array().size()));
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const value& wanted = list->get_array()[i];
    if (!wanted.is_int64() || wanted.get_int64() != found[i])
      return fail(fmt::format("{}[{}] is {}", field, i, found[i]));
  }
}

void VectorLine::expect_integer(std::string_view field, u64 found) {
  const u64 wanted = integer(field);
  if (found != wanted) fail(fmt::format("{} is {}, expected {}", field, found, wanted));
}

}  // namespace bolide::app
