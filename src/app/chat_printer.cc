#include "app/chat_printer.h"

#include <algorithm>
#include <utility>

#include "app/terminal_text.h"

namespace bolide::app {
namespace {

constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kNormal = "\x1b[22m";

}  // namespace

std::string dimmed(std::string_view text, TextStyle style) {
  return style == TextStyle::kStyled ? std::string(kDim).append(text).append(kNormal) : std::string(text);
}

std::string AnswerPrinter::print(const text::OutputPiece& piece) {
  const bool reasoning = piece.channel == text::OutputPiece::Channel::kReasoning;
  std::string bytes;
  std::string_view text = piece.text;
  if (!reasoning && reasoning_shown_ && !text.empty()) bytes += end_reasoning();
  if (!begun_) text.remove_prefix(std::min(text.find_first_not_of('\n'), text.size()));
  if (text.empty()) return bytes;
  if (!begun_ && reasoning) bytes += begin_reasoning();
  begun_ = anything_ = true;
  const std::size_t end = text.find_last_not_of('\n') + 1;  // 0: only line ends
  if (end > 0) bytes += std::exchange(line_ends_, {}) + without_controls(text.substr(0, end));
  line_ends_ += text.substr(end);
  return bytes;
}

std::string AnswerPrinter::finish() {
  std::string bytes;
  if (reasoning_shown_) bytes += style_ == TextStyle::kStyled ? kNormal : "]";
  if (anything_) bytes += '\n';
  *this = AnswerPrinter(style_);
  return bytes;
}

std::string AnswerPrinter::begin_reasoning() {
  reasoning_shown_ = true;
  return style_ == TextStyle::kStyled ? std::string(kDim) : "[thinking: ";
}

std::string AnswerPrinter::end_reasoning() {
  reasoning_shown_ = false;
  begun_ = false;
  line_ends_.clear();
  return std::string(style_ == TextStyle::kStyled ? kNormal : "]") + "\n\n";
}

}  // namespace bolide::app
