// An answer as a person reads it on a terminal: thinking dimmed above the answer, its Markdown in colours, no blank
// lines at the edges.
#pragma once
#include <string>

#include "app/markdown_style.h"
#include "text/output_event.h"

namespace bolide::app {

enum class TextStyle { kPlain, kStyled };

// `text` dimmed, where styles may be used.
std::string dimmed(std::string_view text, TextStyle style);

// Gives the bytes to write for each event, of reasoning or answer. Nothing stays dimmed after them, so that whatever
// ends the program leaves the terminal well. Where nothing can be dimmed, the thinking stands in brackets.
class AnswerPrinter {
 public:
  explicit AnswerPrinter(TextStyle style) : style_(style) {}

  std::string print(const text::OutputEvent& event);
  // The end of the answer: a line end, if anything was shown.
  std::string finish();

 private:
  // The first text of a channel comes.
  std::string begin(bool reasoning);
  std::string close();
  std::string shown(std::string_view text);

  TextStyle style_;
  bool begun_ = false;      // something was shown
  bool reasoning_ = false;  // it belongs to the thinking
  std::string line_ends_;   // held back, because they count only if text follows
  MarkdownStyle markdown_;  // of the answer
};

}  // namespace bolide::app
