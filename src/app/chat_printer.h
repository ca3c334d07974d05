// An answer as a person reads it on a terminal: thinking dimmed above the answer, no blank lines at the edges.
#pragma once
#include <string>

#include "text/thinking.h"

namespace bolide::app {

enum class TextStyle { kPlain, kStyled };

// `text` dimmed, where styles may be used.
std::string dimmed(std::string_view text, TextStyle style);

// Gives the bytes to write for each piece. Where nothing can be dimmed, the thinking stands in brackets.
class AnswerPrinter {
 public:
  explicit AnswerPrinter(TextStyle style) : style_(style) {}

  std::string print(const text::OutputPiece& piece);
  // The end of the answer: a line end where one is needed, and nothing dimmed any more.
  std::string finish();

 private:
  std::string begin_reasoning();
  std::string end_reasoning();

  TextStyle style_;
  bool reasoning_shown_ = false;  // and not ended
  bool begun_ = false;            // something of this channel was shown
  bool anything_ = false;         // something was shown at all
  std::string line_ends_;         // held back, because they count only if text follows
};

}  // namespace bolide::app
