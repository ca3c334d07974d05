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

std::string AnswerPrinter::print(const text::OutputEvent& event) {
  const bool reasoning = event.kind == text::OutputEvent::Kind::kReasoning;
  const bool continues = begun_ && reasoning == reasoning_;
  std::string_view text = event.text;
  if (!continues) text.remove_prefix(std::min(text.find_first_not_of('\n'), text.size()));
  if (text.empty()) return {};
  std::string bytes = continues ? std::string() : begin(reasoning);
  const std::size_t end = text.find_last_not_of('\n') + 1;  // 0: only line ends
  if (end > 0) {
    const std::string shown = std::exchange(line_ends_, {}) + without_controls(text.substr(0, end));
    bytes += reasoning ? dimmed(shown, style_) : shown;
  }
  line_ends_ += text.substr(end);
  return bytes;
}

std::string AnswerPrinter::finish() {
  const std::string bytes = begun_ ? close() + "\n" : "";
  *this = AnswerPrinter(style_);
  return bytes;
}

std::string AnswerPrinter::begin(bool reasoning) {
  std::string bytes = begun_ ? close() + "\n\n" : "";
  if (reasoning && style_ == TextStyle::kPlain) bytes += "[thinking: ";
  begun_ = true;
  reasoning_ = reasoning;
  line_ends_.clear();
  return bytes;
}

std::string AnswerPrinter::close() const {
  return reasoning_ && style_ == TextStyle::kPlain ? "]" : "";
}

}  // namespace bolide::app
