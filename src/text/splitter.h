// Cuts text into the pieces that are merged separately: the three regular expressions of the official tokenizer.json,
// by hand (spec/model.md section 6; docs/decisions/0010-tokenizer.md says why no regex library).
//
// The three splits run one after the other, each on the pieces of the one before, and both matches and the text
// between matches become pieces:
//   1. \p{N}{1,3}
//   2. [U+4E00-U+9FA5 U+3040-U+309F U+30A0-U+30FF]+    Chinese characters, Hiragana, Katakana; "CJK" below
//   3. the first of these that matches:
//      a. one ASCII punctuation character, then [A-Za-z]+
//      b. [^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+
//      c. one space or none, then [\p{P}\p{S}]+[\r\n]*
//      d. \s*[\r\n]+
//      e. \s+(?!\S)
//      f. \s+
// An invalid UTF-8 byte is a piece of its own, as if a split 0 had cut it out.
//
// So the text falls into segments (numbers, CJK, the rest, invalid bytes) that no match of split 3 crosses: in it the
// end of a segment is the end of the text.
#pragma once
#include <string_view>

#include "base/types.h"
#include "text/char_class.h"

namespace bolide::text {

// Gives the pieces of a text in order; joined they are the text. The text must outlive the splitter.
class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text), classes_(char_classes()) {}

  // The next piece; empty at the end of the text.
  std::string_view next();

 private:
  enum class Segment : u8 { kEnd, kInvalid, kNumber, kCjk, kRest };
  struct Char {
    Segment segment = Segment::kEnd;
    CharClass char_class = CharClass::kOther;
    u32 length = 0;  // bytes
  };

  Char char_at(std::size_t at) const;
  Char non_ascii_char_at(std::size_t at) const;
  std::size_t word_end(std::size_t at, Segment segment) const;
  std::size_t number_end(std::size_t at) const;
  std::size_t punctuation_end(std::size_t at, Segment segment) const;
  std::size_t space_end(std::size_t at) const;
  std::size_t unmatched_end(std::size_t at, Segment segment) const;
  std::size_t piece_end(std::size_t at) const;

  std::string_view text_;
  std::size_t at_ = 0;
  const CharClass* classes_;
};

}  // namespace bolide::text
