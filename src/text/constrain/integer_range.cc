#include "text/constrain/integer_range.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace bolide::text {
namespace {

GrammarNode any_digits(Grammar& g, std::size_t n, GrammarNode next) {
  for (; n > 0; --n) next = g.bytes(byte_range('0', '9'), next);
  return next;
}

// Numbers of one length, from `least` to `most`, whose digits before `at` are chosen. A bound that is not `tight` is
// kept whatever follows.
GrammarNode same_length(Grammar& g, const std::string& least, const std::string& most, std::size_t at, bool tight_least,
                        bool tight_most, GrammarNode next) {
  if (at == least.size()) return next;
  if (!tight_least && !tight_most) return any_digits(g, least.size() - at, next);
  const char first = tight_least ? least[at] : '0';
  const char last = tight_most ? most[at] : '9';
  const auto go_on = [&](char digit) {
    return same_length(g, least, most, at + 1, tight_least && digit == first, tight_most && digit == last, next);
  };
  std::vector<GrammarNode> digits = {g.literal(std::string(1, first), go_on(first))};
  if (last > first) digits.push_back(g.literal(std::string(1, last), go_on(last)));
  if (last > first + 1) {
    const GrammarNode between = any_digits(g, least.size() - at - 1, next);
    digits.push_back(g.bytes(byte_range(static_cast<u8>(first + 1), static_cast<u8>(last - 1)), between));
  }
  return g.either(digits);
}

// Without a sign.
constexpr u64 kNoBound = std::numeric_limits<u64>::max();
GrammarNode magnitudes(Grammar& g, u64 least, u64 most, GrammarNode next) {
  const std::string low = std::to_string(least);
  std::vector<GrammarNode> lengths;
  const bool bounded = most != kNoBound;
  const std::size_t longest = bounded ? std::to_string(most).size() : low.size();
  for (std::size_t length = low.size(); length <= longest; ++length) {
    std::string from(length, '0');
    from.front() = '1';
    if (length == low.size()) from = low;
    const std::string to = bounded && length == longest ? std::to_string(most) : std::string(length, '9');
    lengths.push_back(same_length(g, from, to, 0, true, true, next));
  }
  if (!bounded) {
    const GrammarRule digit = g.add_rule(g.bytes(byte_range('0', '9'), g.end()));
    lengths.push_back(g.bytes(byte_range('1', '9'), g.repeat(digit, static_cast<u32>(low.size()), kUnlimited, next)));
  }
  return g.either(lengths);
}

u64 magnitude(i64 value) {
  return value < 0 ? u64{0} - static_cast<u64>(value) : static_cast<u64>(value);
}

}  // namespace

GrammarNode integer_range(Grammar& g, std::optional<i64> least, std::optional<i64> most, GrammarNode next) {
  std::vector<GrammarNode> signs;
  if (!least || *least < 0) {
    const u64 from = most && *most < 0 ? magnitude(*most) : 1;
    const u64 to = least ? magnitude(*least) : kNoBound;
    signs.push_back(g.literal("-", magnitudes(g, from, to, next)));
  }
  if (!most || *most >= 0) {
    const u64 from = least ? static_cast<u64>(std::max<i64>(*least, 0)) : 0;
    const u64 to = most ? static_cast<u64>(*most) : kNoBound;
    signs.push_back(magnitudes(g, from, to, next));
  }
  return g.either(signs);
}

}  // namespace bolide::text
