#include "app/markdown_style.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace bolide::app {
namespace {

constexpr int kMagenta = 35;
constexpr int kCyan = 36;

// Held back at most while the beginning of a line is not decided.
constexpr std::size_t kLongestLineStart = 256;

bool is_blank(char byte) {
  return byte == ' ' || byte == '\t';
}
bool is_space(char byte) {
  return is_blank(byte) || byte == '\n';
}
bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}
bool is_ascii_word(char byte) {
  return is_digit(byte) || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}
bool is_beyond_ascii(char byte) {
  return static_cast<unsigned char>(byte) >= 0x80;
}
bool is_punctuation(char byte) {
  return !is_space(byte) && !is_ascii_word(byte) && !is_beyond_ascii(byte);
}

// Flanks as in CommonMark's section 6.2, but stricter where text that is no Markdown would turn bold for a whole line:
// a star inside a word of ASCII, as in 2*3 or 2**10, opens nothing.
bool can_open(char mark, char before, char after) {
  if (is_space(after) || is_ascii_word(before)) return false;
  if (mark == '_' && is_beyond_ascii(before)) return false;
  return !is_punctuation(after) || is_space(before) || is_punctuation(before);
}
bool can_close(char mark, char before, char after) {
  if (is_space(before)) return false;
  return mark == '*' || !(is_ascii_word(after) || is_beyond_ascii(after));
}

}  // namespace

std::string MarkdownStyle::push(std::string_view text) {
  held_ += text;
  while (!held_.empty() && step()) {
  }
  wear({});
  return std::exchange(out_, {});
}

std::string MarkdownStyle::finish() {
  ended_ = true;
  std::string rest = push({});
  *this = {};
  return rest;
}

bool MarkdownStyle::step() {
  if (fence_.mark != 0) return fence_step();
  if (code_marks_ > 0) return code_step();
  return line_start_ ? line_start_step() : text_step();
}

// At the beginning of a line, or behind the marks of lists and quotes there.
bool MarkdownStyle::line_start_step() {
  const std::size_t indentation = std::min(held_.find_first_not_of(" \t"), held_.size());
  if (indentation < kLongestLineStart) {
    if (!known(indentation)) return false;
    const std::size_t run = run_length(indentation);
    const char mark = at(indentation);
    if (run < kLongestLineStart && !known(indentation + run)) return false;
    if ((mark == '`' || mark == '~') && run >= 3) return open_fence(indentation, run);
    if (mark == '>') {
      show(indentation + 1, {.dim = true});
      return true;
    }
    std::size_t length = 0;
    if (!list_mark_length(indentation, length)) return false;
    if (length > 0) {
      show(indentation + length, {.bold = true});
      return true;
    }
    heading_ = mark == '#' && run <= 6 && is_space(at(indentation + run));
  }
  line_start_ = false;
  if (indentation > 0) show(indentation);
  return true;
}

bool MarkdownStyle::open_fence(std::size_t indentation, std::size_t run) {
  fence_ = {.mark = at(indentation), .length = run, .on_first_line = true};
  line_start_ = false;
  show(indentation + run, {.colour = kCyan});
  return true;
}

// The length of the mark of a list item at a place of held_, 0 if there is none. False: not decided yet.
bool MarkdownStyle::list_mark_length(std::size_t place, std::size_t& length) const {
  std::size_t end = place;
  if (at(place) == '-' || at(place) == '*' || at(place) == '+') {
    ++end;
  } else {
    while (end < place + 9 && end < held_.size() && is_digit(at(end))) ++end;
    if (!known(end)) return false;
    if (end == place || (at(end) != '.' && at(end) != ')')) return true;
    ++end;
  }
  if (!known(end)) return false;
  length = is_space(at(end)) ? end - place : 0;
  return true;
}

// The whole block looks the same, so nothing is held back; what counts is where it ends (CommonMark 4.5).
bool MarkdownStyle::fence_step() {
  const char byte = held_.front();
  if (fence_.on_first_line && byte == '`' && fence_.mark == '`') {  // ```code``` within a line is no block
    code_marks_ = fence_.length;
    fence_ = {};
    return true;
  }
  if (byte == '\n') {
    const bool closed = !fence_.on_first_line && fence_.only_marks_in_line && fence_.marks_in_line >= fence_.length;
    show(1);
    fence_.on_first_line = false;
    fence_.marks_in_line = 0;
    fence_.only_marks_in_line = true;
    if (closed) {
      fence_ = {};
      line_start_ = true;
    }
    return true;
  }
  const bool goes_on = fence_.marks_in_line == 0 || before_ == fence_.mark;  // no blank between two marks
  if (byte == fence_.mark && goes_on) {
    ++fence_.marks_in_line;
  } else if (!is_blank(byte)) {
    fence_.only_marks_in_line = false;
  }
  show(1);
  return true;
}

bool MarkdownStyle::code_step() {
  const std::size_t plain = std::min(held_.find_first_of("`\n"), held_.size());
  if (plain > 0) {
    show(plain);
    return true;
  }
  if (at(0) == '\n') {
    end_line();
    return true;
  }
  const std::size_t run = run_length(0);
  if (!known(run)) return false;
  show(run);
  if (run == code_marks_) code_marks_ = 0;
  return true;
}

bool MarkdownStyle::text_step() {
  const std::size_t plain = std::min(held_.find_first_of("`*_\\\n"), held_.size());
  if (plain > 0) {
    show(plain);
    return true;
  }
  if (at(0) == '\n') {
    end_line();
    return true;
  }
  const std::size_t run = at(0) == '\\' ? 1 : run_length(0);
  if (!known(run)) return false;
  if (at(0) == '\\') {  // it takes the meaning of a mark after it
    show(is_punctuation(at(1)) && held_.size() > 1 ? 2 : 1);
    return true;
  }
  if (at(0) == '`') {
    code_marks_ = run;
    show(run);
    return true;
  }
  return emphasis_step(run);
}

bool MarkdownStyle::emphasis_step(std::size_t run) {
  const char mark = at(0);
  const bool opens = can_open(mark, before_, at(run));
  const bool closes = can_close(mark, before_, at(run));
  // One mark is italic, two are bold, three are both.
  const bool for_italic = run == 1 || run == 3;
  const bool for_bold = run == 2 || run == 3;
  const bool closes_italic = for_italic && closes && italic_mark_ == mark;
  const bool closes_bold = for_bold && closes && bold_mark_ == mark;
  if (!closes_italic && !closes_bold && opens) {
    if (for_italic && italic_mark_ == 0) italic_mark_ = mark;
    if (for_bold && bold_mark_ == 0) bold_mark_ = mark;
  }
  show(run);
  if (closes_italic) italic_mark_ = 0;
  if (closes_bold) bold_mark_ = 0;
  return true;
}

std::size_t MarkdownStyle::run_length(std::size_t place) const {
  const std::size_t end = std::min(held_.find_first_not_of(at(place), place), held_.size());
  return std::max(end, place) - place;
}

void MarkdownStyle::end_line() {
  show(1);
  line_start_ = true;
  heading_ = false;
  bold_mark_ = 0;
  italic_mark_ = 0;
  code_marks_ = 0;
}

MarkdownStyle::Look MarkdownStyle::look() const {
  const bool code = code_marks_ > 0 || fence_.mark != 0;
  return {.bold = bold_mark_ != 0 || heading_,
          .italic = italic_mark_ != 0,
          .colour = code       ? kCyan
                    : heading_ ? kMagenta
                               : 0};
}

void MarkdownStyle::show(std::size_t length, const Look& look) {
  const std::string_view text = std::string_view(held_).substr(0, length);
  if (text.empty()) return;
  wear(text == "\n" ? Look() : look);
  out_ += text;
  before_ = text.back();
  held_.erase(0, length);
}

void MarkdownStyle::wear(const Look& look) {
  if (look == worn_) return;
  if (worn_ != Look()) out_ += "\x1b[0m";
  worn_ = look;
  if (look == Look()) return;
  std::string codes;
  const auto add = [&codes](int code) { codes += fmt::format("{}{}", codes.empty() ? "" : ";", code); };
  if (look.bold) add(1);
  if (look.dim) add(2);
  if (look.italic) add(3);
  if (look.colour != 0) add(look.colour);
  out_ += fmt::format("\x1b[{}m", codes);
}

}  // namespace bolide::app
