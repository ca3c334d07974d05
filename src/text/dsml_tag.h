// The tags of tool calls as the model writes them, near misses included (prompt-format.md sections 8.2 and 8.3).
#pragma once
#include <string_view>

#include "base/types.h"

namespace bolide::text {

// Whether a text begins with something; kPartial: it may, depending on what follows.
enum class Match { kNo, kPartial, kYes };

// Whether `text` begins with `words`.
Match match_words(std::string_view text, std::string_view words);

struct DsmlTag {
  enum class Kind { kCalls, kInvoke, kParameter };
  enum class StringFlag { kMissing, kTrue, kFalse };

  Kind kind = Kind::kCalls;
  bool closing = false;
  // Spelled as this model or its predecessor spell it, not only nearly.
  bool exact = false;
  // What stands between "<" or "</" and the word of the tag. A closing tag of another spelling than the opening one may
  // be part of a value.
  std::string_view spelling;
  std::string_view name;  // of an opening invoke or parameter tag; of a parameter maybe empty
  StringFlag string_flag = StringFlag::kMissing;
  std::size_t length = 0;  // of the whole tag in bytes
};

struct DsmlTagMatch {
  Match match = Match::kNo;
  DsmlTag tag = {};  // of kYes; refers to the text
};

// A tag is at most this long, so at most this much is held back for one.
constexpr std::size_t kLongestTag = 1024;

// Reads the tag with which `text` begins. Accepted besides the format's own: tags without the blank, the names
// tool_calls (V4) and function_calls, repeated bars, none before DSML, repeated or typographic quotes, attributes in
// any order. Tags of plain XML are text.
DsmlTagMatch match_dsml_tag(std::string_view text);

}  // namespace bolide::text
