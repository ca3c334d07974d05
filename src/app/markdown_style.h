// Colours for Markdown on a terminal, while it comes. Nothing is left out and nothing is added but colours, so what is
// copied from the screen is the Markdown that the model wrote.
#pragma once
#include <string>
#include <string_view>

namespace bolide::app {

// The parts of Markdown that can be told from what stands before them: headings, list marks, quotes, fenced and inline
// code, bold and italic text within a line. A style that is never closed ends with its line. For one answer.
class MarkdownStyle {
 public:
  // What can be shown after `text` (valid UTF-8 without control characters) too. Without its colours it is the text,
  // but for a few characters that are held back because what follows decides what they are. No style is left switched
  // on at its end. However the text is cut, the characters get the same styles.
  std::string push(std::string_view text);
  // The end: what was held back.
  std::string finish();

 private:
  // How a character looks.
  struct Look {
    bool bold = false;
    bool italic = false;
    bool dim = false;
    int colour = 0;  // of ECMA-48's foreground colours; 0: the terminal's own

    bool operator==(const Look&) const = default;
  };

  // A fenced block that was opened, and how much of a closing fence the line has so far.
  struct Fence {
    char mark = 0;  // 0: there is no block
    std::size_t length = 0;
    bool on_first_line = false;  // the one with the language's name
    std::size_t marks_in_line = 0;
    bool only_marks_in_line = true;
  };

  // Each takes from the front of held_; false: more is needed.
  bool step();
  bool line_start_step();
  bool fence_step();
  bool code_step();
  bool text_step();
  bool emphasis_step(std::size_t run);
  bool open_fence(std::size_t indentation, std::size_t run);

  bool list_mark_length(std::size_t at, std::size_t& length) const;
  std::size_t run_length(std::size_t at) const;
  // Whether the character at this place of held_ is known, be it the end of the text.
  bool known(std::size_t at) const { return at < held_.size() || ended_; }
  char at(std::size_t place) const { return place < held_.size() ? held_[place] : '\n'; }
  void end_line();

  Look look() const;
  void show(std::size_t length) { show(length, look()); }
  void show(std::size_t length, const Look& look);
  void wear(const Look& look);

  std::string held_;
  bool ended_ = false;
  std::string out_;
  Look worn_;  // by what was written to out_ last

  bool line_start_ = true;
  char before_ = '\n';  // the last byte shown
  bool heading_ = false;
  char bold_mark_ = 0;    // that opened bold text; 0: it is not bold
  char italic_mark_ = 0;  // likewise
  std::size_t code_marks_ = 0;
  Fence fence_;
};

}  // namespace bolide::app
