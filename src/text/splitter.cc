#include "text/splitter.h"

#include "text/utf8.h"

namespace bolide::text {
namespace {

bool is_word(CharClass c) {
  return c == CharClass::kLetter || c == CharClass::kMark;
}
bool is_punctuation(CharClass c) {
  return c == CharClass::kPunctuation || c == CharClass::kSymbol;
}
bool is_space(CharClass c) {
  return c == CharClass::kSpace || c == CharClass::kLineEnd;
}

bool is_ascii_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool is_cjk(u32 code_point) {
  return (code_point >= 0x4E00 && code_point <= 0x9FA5) || (code_point >= 0x3040 && code_point <= 0x30FF);
}

}  // namespace

std::string_view Splitter::next() {
  if (at_ == text_.size()) return {};
  const std::size_t begin = at_;
  at_ = piece_end(begin);
  return text_.substr(begin, at_ - begin);
}

inline Splitter::Char Splitter::char_at(std::size_t at) const {
  if (at >= text_.size()) return {};
  const u8 byte = static_cast<u8>(text_[at]);
  if (byte >= 0x80) return non_ascii_char_at(at);
  const CharClass c = classes_[byte];
  return {c == CharClass::kNumber ? Segment::kNumber : Segment::kRest, c, 1};
}

Splitter::Char Splitter::non_ascii_char_at(std::size_t at) const {
  const Utf8Char c = first_char(text_.substr(at));
  if (c.length == 0) return {Segment::kInvalid, CharClass::kOther, 1};
  const CharClass char_class = classes_[c.code_point];
  if (is_cjk(c.code_point)) return {Segment::kCjk, char_class, c.length};
  return {char_class == CharClass::kNumber ? Segment::kNumber : Segment::kRest, char_class, c.length};
}

// [\p{L}\p{M}]* from `at` within the segment.
std::size_t Splitter::word_end(std::size_t at, Segment segment) const {
  for (;;) {
    while (at < text_.size() && is_ascii_letter(text_[at]) && segment == Segment::kRest) ++at;
    const Char c = char_at(at);
    if (c.segment != segment || !is_word(c.char_class)) return at;
    at += c.length;
  }
}

// Split 1: up to three numbers.
std::size_t Splitter::number_end(std::size_t at) const {
  for (int n = 0; n < 3; ++n) {
    const Char c = char_at(at);
    if (c.segment != Segment::kNumber) break;
    at += c.length;
  }
  return at;
}

// The rest of c.: [\p{P}\p{S}]*[\r\n]* from `at` within the segment.
std::size_t Splitter::punctuation_end(std::size_t at, Segment segment) const {
  Char c = char_at(at);
  for (; c.segment == segment && is_punctuation(c.char_class); c = char_at(at)) at += c.length;
  for (; c.segment == segment && c.char_class == CharClass::kLineEnd; c = char_at(at)) at += c.length;
  return at;
}

// d., e. and f. from a white space at `at`. Backtracking makes d. end at the last line end of the white space, and e.
// leave its last character to a text that follows, if there is another one.
std::size_t Splitter::space_end(std::size_t at) const {
  const std::size_t begin = at;
  std::size_t last = at;
  std::size_t after_line_ends = at;
  Char c = char_at(at);
  for (; c.segment == Segment::kRest && is_space(c.char_class); c = char_at(at)) {
    last = at;
    at += c.length;
    if (c.char_class == CharClass::kLineEnd) after_line_ends = at;
  }
  if (after_line_ends > begin) return after_line_ends;
  const bool text_follows = c.segment == Segment::kRest;
  return text_follows && last > begin ? last : at;
}

// The characters from `at` on that no alternative matches: all but the last of a run that a word follows (b. takes
// that one), or the whole run.
std::size_t Splitter::unmatched_end(std::size_t at, Segment segment) const {
  Char c = char_at(at);
  for (;;) {
    at += c.length;
    c = char_at(at);
    if (c.segment != segment || c.char_class != CharClass::kOther) return at;
    const Char after = char_at(at + c.length);
    if (after.segment == segment && is_word(after.char_class)) return at;
  }
}

std::size_t Splitter::piece_end(std::size_t at) const {
  const Char c = char_at(at);
  const std::size_t next = at + c.length;
  if (c.segment == Segment::kInvalid) return next;
  if (c.segment == Segment::kNumber) return number_end(at);
  if (is_word(c.char_class)) return word_end(next, c.segment);  // b. without its first part, or with a mark in it
  const Char after = char_at(next);
  const bool word_follows = after.segment == c.segment && is_word(after.char_class);
  if (is_punctuation(c.char_class)) {
    if (c.length == 1 && after.length == 1 && word_follows) {  // a.
      std::size_t end = next;
      while (end < text_.size() && is_ascii_letter(text_[end])) ++end;
      return end;
    }
    return punctuation_end(next, c.segment);  // c.
  }
  if (word_follows && c.char_class != CharClass::kLineEnd) return word_end(next, c.segment);  // b.
  if (c.char_class == CharClass::kOther) return unmatched_end(at, c.segment);
  const bool punctuation_follows = after.segment == c.segment && is_punctuation(after.char_class);
  if (text_[at] == ' ' && punctuation_follows) return punctuation_end(next, c.segment);  // c.
  return space_end(at);
}

}  // namespace bolide::text
