// The text that a person is typing: keys in, text and cursor out. Knows no terminal (see terminal_prompt.h for the
// display).
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/terminal_keys.h"

namespace bolide::app {

class LineEditor {
 public:
  // `history`: earlier texts, the oldest first.
  explicit LineEditor(std::vector<std::string> history = {}) : history_(std::move(history)), shown_(history_.size()) {}

  enum class Effect {
    kEdited,  // text or cursor may have changed
    kSubmitted,
    kInterrupted,  // Ctrl+C
    kEnded,        // Ctrl+D in an empty text
    kSuspend,
    kClearScreen,
  };

  // Of the last three nothing is changed here; the caller acts.
  Effect press(const KeyPress& key);

  // Valid UTF-8; several lines are separated by \n.
  const std::string& text() const { return text_; }
  // Byte offset into the text, between two characters.
  std::size_t cursor() const { return cursor_; }

  // Empties the text for the next one and remembers it in the history.
  std::string take();
  // Empties the text without remembering it.
  void clear();

 private:
  Effect enter();
  void insert(std::string_view text);
  void erase(std::size_t from, std::size_t to);
  void move_up();
  void move_down();
  void show_history(std::size_t index);

  std::size_t line_start() const;
  std::size_t line_end() const;
  std::size_t word_left() const;
  std::size_t word_right() const;

  std::string text_;
  std::size_t cursor_ = 0;
  std::vector<std::string> history_;
  std::size_t shown_;     // entry of the history in text_; history_.size(): a new text
  std::string new_text_;  // kept while an entry is shown
};

}  // namespace bolide::app
