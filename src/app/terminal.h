// The person's terminal, in the mode in which every key arrives at once and nothing is echoed. The former mode comes
// back when the object goes, on Ctrl+Z, and when a signal ends the program. One at a time, for one thread.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <string_view>

#include "app/terminal_keys.h"
#include "base/result.h"
#include "base/types.h"

namespace bolide::app {

// Whether standard input and output are a terminal that a cursor can be moved on.
bool is_interactive_terminal();

// Whether colours and dimmed text may go to this file: it is a terminal, and NO_COLOR (no-color.org) is not set.
bool may_style(int file_descriptor);

// Whether the terminal cannot move its cursor: $TERM is empty or "dumb".
bool is_dumb_terminal();

// Columns of the terminal behind this file; 80 where it does not tell.
std::size_t columns_of(int file_descriptor);

class Terminal {
 public:
  // Of standard input and output.
  static Result<std::unique_ptr<Terminal>> open();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  struct Size {
    std::size_t columns;
    std::size_t rows;
  };
  Size size() const;

  void write(std::string_view bytes);

  // Waits for a key. None: the window's size may have changed, paint anew. Once the terminal is gone, every key is
  // kEndOfInput.
  std::optional<KeyPress> read_key();
  // Whether read_key() would not wait.
  bool has_key() const { return !typed_.empty(); }

  // Waits until `file_descriptor` can be read, at most a second; what is typed meanwhile is kept for read_key(). False
  // as soon as Ctrl+C was pressed, which is not kept.
  bool wait_unless_interrupted(int file_descriptor);

  // Gives the terminal back to the shell until it continues us.
  void suspend();

 private:
  Terminal() = default;
  struct Poll;
  // Waits for one of the sources and decodes what was typed into typed_.
  Poll poll_sources(int file_descriptor, int timeout_ms);
  void read_input();
  void read_signals();

  KeyDecoder decoder_;
  std::deque<KeyPress> typed_;
  bool closed_ = false;
};

}  // namespace bolide::app
