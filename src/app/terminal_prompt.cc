#include "app/terminal_prompt.h"

#include <algorithm>
#include <optional>
#include <unistd.h>
#include <utility>

namespace bolide::app {
namespace {

constexpr std::string_view kMark = "> ";

std::string styled_mark() {
  const std::string mark(kMark);
  return may_style(STDOUT_FILENO) ? "\x1b[1m" + mark + "\x1b[22m" : mark;
}

}  // namespace

TerminalPrompt::TerminalPrompt(Terminal& terminal, std::vector<std::string> history)
    : terminal_(terminal), editor_(std::move(history)), painter_(styled_mark(), kMark.size()) {}

TerminalPrompt::Reply TerminalPrompt::ask() {
  painter_.forget();
  columns_ = terminal_.size().columns;
  for (;;) {
    if (!terminal_.has_key()) paint();
    const std::optional<KeyPress> key = terminal_.read_key();
    if (!key) {
      const std::size_t columns = terminal_.size().columns;
      if (columns != std::exchange(columns_, columns)) painter_.resize(columns);
      continue;
    }
    switch (editor_.press(*key)) {
      case LineEditor::Effect::kEdited:
        break;
      case LineEditor::Effect::kSubmitted:
        leave();
        return {End::kSubmitted, editor_.take()};
      case LineEditor::Effect::kInterrupted:
        leave();
        return {give_up(), {}};
      case LineEditor::Effect::kEnded:
        leave();
        return {End::kEndOfInput, {}};
      case LineEditor::Effect::kSuspend:
        leave();
        terminal_.suspend();
        break;
      case LineEditor::Effect::kClearScreen:
        terminal_.write("\x1b[H\x1b[2J");
        painter_.forget();
        break;
    }
  }
}

TerminalPrompt::End TerminalPrompt::give_up() {
  const bool typed = !editor_.text().empty();
  editor_.clear();
  return typed ? End::kGivenUp : End::kInterrupted;
}

LineLayout TerminalPrompt::layout() const {
  const std::size_t columns = terminal_.size().columns;
  const std::size_t room = std::max<std::size_t>(columns, painter_.mark_width() + 2) - painter_.mark_width();
  return lay_out(editor_.text(), editor_.cursor(), room);
}

void TerminalPrompt::paint() {
  terminal_.write(painter_.paint(layout(), terminal_.size().rows));
}

void TerminalPrompt::leave() {
  terminal_.write(painter_.finish(layout()));
}

}  // namespace bolide::app
