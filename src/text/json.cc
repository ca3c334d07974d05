#include "text/json.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include "text/utf8.h"

namespace bolide::text {
namespace {

constexpr u32 kReplacement = 0xFFFD;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The indices of an object's members in the order of their keys, equal keys in the order of their places.
std::vector<u32> order_of_keys(const std::vector<JsonMember>& members) {
  std::vector<u32> order(members.size());
  std::iota(order.begin(), order.end(), u32{0});
  std::ranges::sort(order, [&](u32 a, u32 b) {
    const int compared = members[a].key.compare(members[b].key);
    return compared != 0 ? compared < 0 : a < b;
  });
  return order;
}

// Of equal keys the first place and the last value stay.
void merge_equal_keys(std::vector<JsonMember>& members) {
  const std::vector<u32> order = order_of_keys(members);
  std::vector<bool> repeated(members.size());
  bool any = false;
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && members[order[end]].key == members[order[first]].key) repeated[order[end++]] = true;
    if (end - first > 1) {
      members[order[first]].value = std::move(members[order[end - 1]].value);
      any = true;
    }
    first = end;
  }
  if (!any) return;
  std::vector<JsonMember> kept;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!repeated[i]) kept.push_back(std::move(members[i]));
  }
  members = std::move(kept);
}

// Recursive descent; the recursion is bounded by kDeepestJson.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool document(Json& out) {
    skip_blanks();
    if (!value(out, 0)) return false;
    skip_blanks();
    return at_ == text_.size() || fail("the end of the document is expected");
  }
  const char* problem() const { return problem_; }
  std::size_t place() const { return at_; }

 private:
  bool fail(const char* problem) {
    problem_ = problem;
    return false;
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() {
    while (at_ < text_.size() && (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t')) ++at_;
  }
  // Blanks before and after included.
  bool take(char c) {
    skip_blanks();
    if (peek() != c) return false;
    ++at_;
    skip_blanks();
    return true;
  }

  bool value(Json& out, int depth) {
    switch (peek()) {
      case '{':
        out.kind = Json::Kind::kObject;
        return object(out.members, depth + 1);
      case '[':
        out.kind = Json::Kind::kArray;
        return array(out.items, depth + 1);
      case '"':
        out.kind = Json::Kind::kString;
        return string(out.text);
      case 't':
        return word("true", Json::Kind::kTrue, out);
      case 'f':
        return word("false", Json::Kind::kFalse, out);
      case 'n':
        return word("null", Json::Kind::kNull, out);
      default:
        out.kind = Json::Kind::kNumber;
        return number(out.text);
    }
  }

  bool word(std::string_view spelling, Json::Kind kind, Json& out) {
    if (!text_.substr(at_).starts_with(spelling)) return fail("a value is expected");
    at_ += spelling.size();
    out.kind = kind;
    return true;
  }

  bool array(std::vector<Json>& items, int depth) {
    if (depth > kDeepestJson) return fail("nested too deeply");
    take('[');
    if (take(']')) return true;
    do {
      if (!value(items.emplace_back(), depth)) return false;
    } while (take(','));
    return take(']') || fail("',' or ']' is expected");
  }

  bool object(std::vector<JsonMember>& members, int depth) {
    if (depth > kDeepestJson) return fail("nested too deeply");
    take('{');
    if (take('}')) return true;
    do {
      if (peek() != '"') return fail("a key in quotes is expected");
      JsonMember& member = members.emplace_back();
      if (!string(member.key)) return false;
      if (!take(':')) return fail("':' is expected");
      if (!value(member.value, depth)) return false;
    } while (take(','));
    if (!take('}')) return fail("',' or '}' is expected");
    merge_equal_keys(members);
    return true;
  }

  bool number(std::string& spelling) {
    const std::size_t begin = at_;
    if (peek() == '-') ++at_;
    if (!is_digit(peek())) return fail("a value is expected");
    if (peek() == '0') {
      ++at_;
    } else {
      digits();
    }
    if (peek() == '.') {
      ++at_;
      if (!digits()) return fail("a digit is expected");
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!digits()) return fail("a digit is expected");
    }
    spelling = text_.substr(begin, at_ - begin);
    return true;
  }
  bool digits() {
    const std::size_t begin = at_;
    while (is_digit(peek())) ++at_;
    return at_ > begin;
  }

  bool string(std::string& out) {
    ++at_;  // the quote
    while (true) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && is_plain(text_[at_])) ++at_;
      out += text_.substr(begin, at_ - begin);
      if (at_ == text_.size()) return fail("a string does not end");
      const char c = text_[at_];
      if (c == '"') break;
      if (c == '\\') {
        if (!escape(out)) return false;
      } else if (static_cast<u8>(c) < 0x20) {
        return fail("a control character in a string must be escaped");
      } else {
        const u32 length = first_char(text_.substr(at_)).length;
        if (length == 0) return fail("invalid UTF-8");
        out += text_.substr(at_, length);
        at_ += length;
      }
    }
    ++at_;
    return true;
  }
  static bool is_plain(char c) {
    return c != '"' && c != '\\' && static_cast<u8>(c) >= 0x20 && static_cast<u8>(c) < 0x80;
  }

  bool escape(std::string& out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    ++at_;
    if (at_ == text_.size()) return fail("a string does not end");
    if (text_[at_] == 'u') return unicode_escape(out);
    const std::size_t letter = kLetters.find(text_[at_]);
    if (letter == std::string_view::npos) return fail("an unknown escape in a string");
    out += kMeanings[letter];
    ++at_;
    return true;
  }

  // At the 'u'.
  bool unicode_escape(std::string& out) {
    std::optional<u32> unit = hex4(at_ + 1);
    if (!unit) return fail("four hexadecimal digits are expected");
    at_ += 5;
    if (*unit >= 0xD800 && *unit < 0xDC00 && text_.substr(at_).starts_with("\\u")) {
      const std::optional<u32> low = hex4(at_ + 2);
      if (low && *low >= 0xDC00 && *low < 0xE000) {
        append_utf8(out, 0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00));
        at_ += 6;
        return true;
      }
    }
    append_utf8(out, *unit >= 0xD800 && *unit < 0xE000 ? kReplacement : *unit);
    return true;
  }
  std::optional<u32> hex4(std::size_t begin) const {
    if (begin + 4 > text_.size()) return std::nullopt;
    u32 value = 0;
    const char* first = text_.data() + begin;
    const auto [end, error] = std::from_chars(first, first + 4, value, 16);
    if (error != std::errc() || end != first + 4) return std::nullopt;
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  const char* problem_ = "";
};

void append_dump(std::string& out, const Json& value) {
  switch (value.kind) {
    case Json::Kind::kNull:
      out += "null";
      break;
    case Json::Kind::kFalse:
      out += "false";
      break;
    case Json::Kind::kTrue:
      out += "true";
      break;
    case Json::Kind::kNumber:
      out += value.text;
      break;
    case Json::Kind::kString:
      out += '"';
      append_json_escaped(out, value.text);
      out += '"';
      break;
    case Json::Kind::kArray: {
      out += '[';
      for (const Json& item : value.items) {
        if (&item != &value.items.front()) out += ", ";
        append_dump(out, item);
      }
      out += ']';
      break;
    }
    case Json::Kind::kObject: {
      out += '{';
      for (const JsonMember& member : value.members) {
        if (&member != &value.members.front()) out += ", ";
        out += '"';
        append_json_escaped(out, member.key);
        out += "\": ";
        append_dump(out, member.value);
      }
      out += '}';
      break;
    }
  }
}

// "-0" and "0" are one number; integers are compared by their digits, all else as binary64.
bool equal_numbers(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const bool integers = (a + b).find_first_of(".eE") == std::string::npos;
  if (integers) return a.find_first_not_of("-0") == std::string::npos && b.find_first_not_of("-0") == std::string::npos;
  return std::strtod(a.c_str(), nullptr) == std::strtod(b.c_str(), nullptr);
}

bool equal_members(const std::vector<JsonMember>& a, const std::vector<JsonMember>& b) {
  if (a.size() != b.size()) return false;
  const std::vector<u32> order_a = order_of_keys(a);
  const std::vector<u32> order_b = order_of_keys(b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const JsonMember& left = a[order_a[i]];
    const JsonMember& right = b[order_b[i]];
    if (left.key != right.key || !json_equal(left.value, right.value)) return false;
  }
  return true;
}

}  // namespace

Json Json::string(std::string value) {
  Json json;
  json.kind = Kind::kString;
  json.text = std::move(value);
  return json;
}

const Json* Json::find(std::string_view key) const {
  const auto member = std::ranges::find(members, key, &JsonMember::key);
  return member == members.end() ? nullptr : &member->value;
}

Json* Json::find(std::string_view key) {
  return const_cast<Json*>(std::as_const(*this).find(key));
}

std::optional<i64> Json::as_integer() const {
  if (!is_number()) return std::nullopt;
  i64 value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

Result<Json> parse_json_text(std::string_view text, std::string_view what) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return Error{fmt::format("{}: no valid JSON at byte 0: it is empty", what)};
  }
  Reader reader(text);
  Json value;
  if (reader.document(value)) return value;
  return Error{fmt::format("{}: no valid JSON at byte {}: {}", what, reader.place(), reader.problem())};
}

std::string dump_json(const Json& value) {
  std::string out;
  append_dump(out, value);
  return out;
}

void append_json_escaped(std::string& out, std::string_view characters) {
  constexpr std::string_view kEscaped = "\"\\\b\f\n\r\t";
  constexpr std::string_view kLetters = "\"\\bfnrt";
  std::size_t begin = 0;
  for (std::size_t i = 0; i < characters.size(); ++i) {
    const char c = characters[i];
    if (static_cast<u8>(c) >= 0x20 && c != '"' && c != '\\') continue;
    out += characters.substr(begin, i - begin);
    begin = i + 1;
    if (const std::size_t letter = kEscaped.find(c); letter != std::string_view::npos) {
      out += '\\';
      out += kLetters[letter];
    } else {
      out += fmt::format("\\u{:04x}", static_cast<u8>(c));
    }
  }
  out += characters.substr(begin);
}

std::string json_quoted(std::string_view characters) {
  std::string out = "\"";
  append_json_escaped(out, characters);
  out += '"';
  return out;
}

bool json_equal(const Json& a, const Json& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Json::Kind::kNumber:
      return equal_numbers(a.text, b.text);
    case Json::Kind::kString:
      return a.text == b.text;
    case Json::Kind::kArray:
      return std::ranges::equal(a.items, b.items, json_equal);
    case Json::Kind::kObject:
      return equal_members(a.members, b.members);
    default:
      return true;
  }
}

}  // namespace bolide::text
