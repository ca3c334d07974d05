#include "engram/text_fold.h"

#include <unordered_map>

#include "base/check.h"
#include "text/char_class.h"
#include "text/utf8.h"

namespace bolide::engram {
namespace {

struct Run {
  u32 first;
  u32 last;
  u32 step;
  i32 delta;
};

struct Single {
  u32 from;
  u32 to;
};

struct Nothing {
  u32 first;
  u32 last;
};

#include "engram/fold_table.inc"

using FoldTable = std::unordered_map<u32, std::u32string>;

// What becomes of a character, for all that change but Hangul syllables.
FoldTable read_table() {
  FoldTable table;
  for (const Run& run : kRuns) {
    for (u32 c = run.first; c <= run.last; c += run.step) {
      table[c] = static_cast<char32_t>(static_cast<i32>(c) + run.delta);
    }
  }
  for (const Single& single : kSingles) table[single.from] = static_cast<char32_t>(single.to);
  for (const Nothing& nothing : kNothing) {
    for (u32 c = nothing.first; c <= nothing.last; ++c) table[c];
  }
  for (const u32* entry = std::begin(kSeveral); entry != std::end(kSeveral); entry += 2 + entry[1]) {
    table[entry[0]].assign(entry + 2, entry + 2 + entry[1]);
  }
  return table;
}

// Hangul syllables decompose by rule (the Unicode Standard, section 3.12) into two or three letters.
constexpr u32 kFirstSyllable = 0xAC00;
constexpr u32 kSyllables = 11172;

void append_syllable(std::string& out, u32 syllable) {
  const u32 index = syllable - kFirstSyllable;
  text::append_utf8(out, 0x1100 + index / 588);
  text::append_utf8(out, 0x1161 + index % 588 / 28);
  if (index % 28 != 0) text::append_utf8(out, 0x11A7 + index % 28);
}

void append_folded(std::string& out, u32 c) {
  static const FoldTable table = read_table();
  if (c - kFirstSyllable < kSyllables) return append_syllable(out, c);
  const auto found = table.find(c);
  if (found == table.end()) return text::append_utf8(out, c);
  for (const char32_t part : found->second) text::append_utf8(out, part);
}

std::string with_single_spaces(std::string_view text) {
  std::string out;
  bool in_run = false;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (!space) {
      out += c;
    } else if (!in_run) {
      out += ' ';
    }
    in_run = space;
  }
  return out;
}

bool is_white_space(u32 c) {
  const text::CharClass char_class = text::char_classes()[c];
  return char_class == text::CharClass::kSpace || char_class == text::CharClass::kLineEnd;
}

std::string_view trimmed(std::string_view text) {
  std::size_t begin = text.size();  // of the text without the white space before it
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    const text::Utf8Char c = text::first_char(text.substr(at));
    if (!is_white_space(c.code_point)) {
      begin = std::min(begin, at);
      end = at + c.length;
    }
    at += c.length;
  }
  return begin < end ? text.substr(begin, end - begin) : std::string_view();
}

}  // namespace

std::string folded_text(std::string_view text) {
  std::string characters;
  while (!text.empty()) {
    const text::Utf8Char c = text::first_char(text);
    check(c.length > 0, "only UTF-8 text is folded");
    append_folded(characters, c.code_point);
    text.remove_prefix(c.length);
  }
  const std::string spaced = with_single_spaces(characters);
  return spaced == " " ? spaced : std::string(trimmed(spaced));
}

}  // namespace bolide::engram
