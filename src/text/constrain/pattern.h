// Regular expressions of JSON Schema's `pattern`, as a part of a grammar.
#pragma once
#include <functional>
#include <string_view>

#include "base/result.h"
#include "text/constrain/grammar.h"

namespace bolide::text {

// How the characters of a match are written: inside a JSON string some are escaped.
struct PatternContext {
  Grammar& grammar;
  // One of these ASCII characters; one that is none of them; a character beyond ASCII.
  std::function<GrammarNode(const ByteSet& ascii, GrammarNode next)> one_of;
  std::function<GrammarNode(const ByteSet& ascii, GrammarNode next)> none_of;
};

// Supported: characters, escapes (\d \w \s and their opposites, \n \r \t, \uXXXX, \xXX, escaped punctuation), .,
// classes with ranges of ASCII characters and single others, groups ( ) and (?: ), |, * + ? {n} {n,} {n,m} (also lazy),
// ^ at the beginning and $ at the end. An expression that is not anchored may have any characters around. Errors name
// what is not supported.
Result<GrammarNode> compile_pattern(const PatternContext& context, std::string_view pattern, GrammarNode next);

}  // namespace bolide::text
