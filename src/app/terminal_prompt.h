// Asks the person for a text: shows what is typed and gives it back when Enter is pressed.
#pragma once
#include <string>
#include <vector>

#include "app/line_editor.h"
#include "app/terminal.h"
#include "app/terminal_line.h"

namespace bolide::app {

class TerminalPrompt {
 public:
  // `history`: earlier texts, the oldest first.
  TerminalPrompt(Terminal& terminal, std::vector<std::string> history);

  // How the asking ended. A text that is given up with Ctrl+C stays on the screen.
  enum class End {
    kSubmitted,
    kGivenUp,      // Ctrl+C with something typed
    kInterrupted,  // Ctrl+C with nothing typed
    kEndOfInput,
  };
  struct Reply {
    End end;
    std::string text;  // of kSubmitted
  };
  Reply ask();

 private:
  // Empties the text; tells whether something was typed.
  End give_up();
  LineLayout layout() const;
  void paint();
  // Leaves the text on the screen and goes to the row below it.
  void leave();

  Terminal& terminal_;
  LineEditor editor_;
  LinePainter painter_;
  std::size_t columns_ = 0;  // when the text was painted last
};

}  // namespace bolide::app
