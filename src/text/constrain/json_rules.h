// The parts of JSON that every grammar of it needs, as rules.
#pragma once
#include <string_view>
#include <vector>

#include "text/constrain/grammar.h"

namespace bolide::text {

// How JSON is written in outputs: as dump_json() writes it, or with line ends and indentation.
struct JsonRules {
  explicit JsonRules(Grammar& grammar);

  GrammarRule character;  // of a string: a UTF-8 character that needs no escape, or an escape
  GrammarRule string;
  GrammarRule key;  // a string and its colon
  GrammarRule integer;
  GrammarRule number;
  GrammarRule value;  // anything
  GrammarRule array;
  GrammarRule object;
  GrammarRule comma;  // with the blanks behind it
  GrammarRule blank;  // line end and indentation, or nothing
};

// A UTF-8 character above U+007F, or, with `ascii`, one of those bytes.
GrammarNode utf8_character(Grammar& grammar, const ByteSet& ascii, GrammarNode next);

// The literal as a JSON string would spell it, without quotes.
GrammarNode json_characters(Grammar& grammar, std::string_view characters, GrammarNode next);

}  // namespace bolide::text
