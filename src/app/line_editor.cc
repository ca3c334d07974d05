#include "app/line_editor.h"

#include <algorithm>
#include <utility>

#include "app/terminal_text.h"

namespace bolide::app {
namespace {

bool is_space(char byte) {
  return byte == ' ' || byte == '\n' || byte == '\t';
}

// The offset `characters` characters after the beginning of `line`, or its end.
std::size_t offset_of(std::string_view line, std::size_t characters) {
  std::size_t offset = 0;
  while (characters-- > 0 && offset < line.size()) offset += character_length(line.substr(offset));
  return offset;
}

std::size_t count_characters(std::string_view line) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < line.size(); at += character_length(line.substr(at))) ++count;
  return count;
}

}  // namespace

LineEditor::Effect LineEditor::press(const KeyPress& key) {
  switch (key.key) {
    case Key::kText:
    case Key::kPaste:
      insert(key.text);
      break;
    case Key::kNewLine:
      insert("\n");
      break;
    case Key::kEnter:
      return enter();
    case Key::kBackspace:
      erase(previous_character(text_, cursor_), cursor_);
      break;
    case Key::kEndOfInput:
      if (text_.empty()) return Effect::kEnded;
      [[fallthrough]];
    case Key::kDelete:
      erase(cursor_, cursor_ + character_length(std::string_view(text_).substr(cursor_)));
      break;
    case Key::kLeft:
      cursor_ = previous_character(text_, cursor_);
      break;
    case Key::kRight:
      cursor_ += character_length(std::string_view(text_).substr(cursor_));
      break;
    case Key::kWordLeft:
      cursor_ = word_left();
      break;
    case Key::kWordRight:
      cursor_ = word_right();
      break;
    case Key::kUp:
      move_up();
      break;
    case Key::kDown:
      move_down();
      break;
    case Key::kHome:
      cursor_ = line_start();
      break;
    case Key::kEnd:
      cursor_ = line_end();
      break;
    case Key::kEraseToEnd:
      erase(cursor_, line_end());
      break;
    case Key::kEraseToStart:
      erase(line_start(), cursor_);
      break;
    case Key::kEraseWord:
      erase(word_left(), cursor_);
      break;
    case Key::kInterrupt:
      return Effect::kInterrupted;
    case Key::kSuspend:
      return Effect::kSuspend;
    case Key::kClearScreen:
      return Effect::kClearScreen;
  }
  return Effect::kEdited;
}

// A backslash at the very end asks for another line, for terminals that do not tell Alt+Enter from Enter.
LineEditor::Effect LineEditor::enter() {
  if (cursor_ < text_.size() || !text_.ends_with('\\')) return Effect::kSubmitted;
  text_.back() = '\n';
  return Effect::kEdited;
}

std::string LineEditor::take() {
  if (!text_.empty() && (history_.empty() || history_.back() != text_)) history_.push_back(text_);
  std::string taken = std::move(text_);
  clear();
  return taken;
}

void LineEditor::clear() {
  text_.clear();
  cursor_ = 0;
  new_text_.clear();
  shown_ = history_.size();
}

void LineEditor::insert(std::string_view text) {
  text_ = text_.substr(0, cursor_).append(text) + text_.substr(cursor_);
  cursor_ += text.size();
}

void LineEditor::erase(std::size_t from, std::size_t to) {
  text_.erase(from, to - from);
  cursor_ = from;
}

// Up and down move inside a text of several lines, by characters, and through the history at its borders.
void LineEditor::move_up() {
  const std::size_t start = line_start();
  if (start == 0) {
    if (shown_ > 0) show_history(shown_ - 1);
    return;
  }
  const std::size_t column = count_characters(std::string_view(text_).substr(start, cursor_ - start));
  cursor_ = start - 1;
  const std::size_t above = line_start();
  cursor_ = above + offset_of(std::string_view(text_).substr(above, start - 1 - above), column);
}

void LineEditor::move_down() {
  const std::size_t end = line_end();
  if (end == text_.size()) {
    if (shown_ < history_.size()) show_history(shown_ + 1);
    return;
  }
  const std::size_t start = line_start();
  const std::size_t column = count_characters(std::string_view(text_).substr(start, cursor_ - start));
  cursor_ = end + 1;
  cursor_ += offset_of(std::string_view(text_).substr(cursor_, line_end() - cursor_), column);
}

void LineEditor::show_history(std::size_t index) {
  if (shown_ == history_.size()) new_text_ = text_;
  shown_ = index;
  text_ = index == history_.size() ? new_text_ : history_[index];
  cursor_ = text_.size();
}

std::size_t LineEditor::line_start() const {
  if (cursor_ == 0) return 0;
  const std::size_t before = text_.rfind('\n', cursor_ - 1);
  return before == std::string::npos ? 0 : before + 1;
}

std::size_t LineEditor::line_end() const {
  return std::min(text_.find('\n', cursor_), text_.size());
}

std::size_t LineEditor::word_left() const {
  std::size_t at = cursor_;
  while (at > 0 && is_space(text_[at - 1])) --at;
  while (at > 0 && !is_space(text_[at - 1])) --at;
  return at;
}

std::size_t LineEditor::word_right() const {
  std::size_t at = cursor_;
  while (at < text_.size() && is_space(text_[at])) ++at;
  while (at < text_.size() && !is_space(text_[at])) ++at;
  return at;
}

}  // namespace bolide::app
