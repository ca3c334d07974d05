// What a person pressed, from the bytes that a terminal sends (ECMA-48 and xterm's control sequences).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "text/stream_decoder.h"

namespace bolide::app {

enum class Key {
  kText,   // characters, in KeyPress::text
  kPaste,  // a bracketed paste, in KeyPress::text: line ends are \n, other control characters but tabs are gone
  kEnter,
  kNewLine,  // Alt+Enter, Shift+Enter where the terminal tells: a line end inside the text
  kBackspace,
  kDelete,
  kLeft,
  kRight,
  kWordLeft,
  kWordRight,
  kUp,
  kDown,
  kHome,
  kEnd,
  kEraseToEnd,
  kEraseToStart,
  kEraseWord,
  kClearScreen,
  kInterrupt,   // Ctrl+C
  kEndOfInput,  // Ctrl+D
  kSuspend,     // Ctrl+Z
};

struct KeyPress {
  Key key = Key::kText;
  std::string text;

  bool operator==(const KeyPress&) const = default;
};

// Takes bytes as they come, cut anywhere. Unknown sequences are dropped.
class KeyDecoder {
 public:
  std::vector<KeyPress> push(std::string_view bytes);
  // Whether a key has begun that more bytes may complete, outside a paste. If none come soon, it was Escape alone.
  bool undecided() const { return !held_.empty() && !pasting_; }
  void forget_undecided() { held_.clear(); }

 private:
  // Each takes bytes from the front of held_; false: more are needed.
  bool take_key();
  bool take_text();
  bool take_escape();
  bool take_control_sequence();
  bool take_paste();

  void press(Key key) { pressed_.push_back({key, {}}); }

  std::string held_;
  bool pasting_ = false;
  bool after_return_ = false;  // the last byte was \r: a \n now belongs to it (pitfalls B53)
  std::size_t searched_ = 0;   // of held_, for the end of a paste
  text::Utf8Stream utf8_;
  std::vector<KeyPress> pressed_;
};

}  // namespace bolide::app
