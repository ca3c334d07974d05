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
  if (!continues) text.remove_prefix(std::min(text.find_first_not_of("\r\n"), text.size()));
  if (text.empty()) return {};
  std::string bytes = continues ? std::string() : begin(reasoning);
  const std::size_t end = text.find_last_not_of("\r\n") + 1;  // 0: only line ends
  if (end > 0) bytes += shown(std::exchange(line_ends_, {}).append(text.substr(0, end)));
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

std::string AnswerPrinter::close() {
  if (style_ == TextStyle::kStyled) return markdown_.finish();
  return reasoning_ ? "]" : "";
}

std::string AnswerPrinter::shown(std::string_view text) {
  const std::string safe = without_controls(text);
  if (reasoning_) return dimmed(safe, style_);
  return style_ == TextStyle::kStyled ? markdown_.push(safe) : safe;
}

}  // namespace bolide::app
