// JSON of requests, tools and arguments. It becomes part of prompts, so what a general library loses is kept: the order
// of keys and the spelling of numbers (1.0 stays 1.0, integers beyond 2^53 stay exact). Written in the style of
// Python's json.dumps, which the model was trained on (prompt-format.md section 1). For files of our own see
// base/json.h.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace bolide::text {

struct JsonMember;

// A value. Which of the fields hold something follows from the kind.
struct Json {
  enum class Kind : u8 { kNull, kFalse, kTrue, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  std::string text;                 // kString: the characters, valid UTF-8; kNumber: the number as it was spelled
  std::vector<Json> items;          // kArray
  std::vector<JsonMember> members;  // kObject: in the order received, every key once

  static Json string(std::string value);

  bool is_null() const { return kind == Kind::kNull; }
  bool is_bool() const { return kind == Kind::kFalse || kind == Kind::kTrue; }
  bool is_number() const { return kind == Kind::kNumber; }
  bool is_string() const { return kind == Kind::kString; }
  bool is_array() const { return kind == Kind::kArray; }
  bool is_object() const { return kind == Kind::kObject; }

  // The value of a key; null if this is no object or has no such key.
  const Json* find(std::string_view key) const;
  Json* find(std::string_view key);

  // The number as an integer, if it is spelled as one and fits.
  std::optional<i64> as_integer() const;
};

struct JsonMember {
  std::string key;
  Json value;
};

// Levels of arrays and objects that are read at most.
constexpr int kDeepestJson = 256;

// Reads one document, in time linear in its size (n log n for the keys of an object). A key that comes again replaces
// the value of the first, as in Python. Half of a surrogate pair alone, which clients write when they cut a text,
// becomes U+FFFD. An error begins with `what` and names the byte; it repeats nothing of the text, which may be no
// UTF-8.
Result<Json> parse_json_text(std::string_view text, std::string_view what);

// The value on one line: ", " and ": " between, no escapes but the necessary ones.
std::string dump_json(const Json& value);

// Appends what stands between the quotes of a JSON string.
void append_json_escaped(std::string& out, std::string_view characters);
std::string json_quoted(std::string_view characters);

// Whether two values mean the same: keys in any order, numbers by value.
bool json_equal(const Json& a, const Json& b);

}  // namespace bolide::text
