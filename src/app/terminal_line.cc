#include "app/terminal_line.h"

#include <algorithm>
#include <fmt/format.h>

#include "app/terminal_text.h"
#include "text/utf8.h"

namespace bolide::app {
namespace {

constexpr std::string_view kTab = "    ";                  // shown for a tab, wherever it stands
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD, for what must not reach the terminal

// A character as it is shown, and its columns.
struct Shown {
  std::string_view text;
  std::size_t width;
};

Shown show(std::string_view character) {
  if (character == "\t") return {kTab, kTab.size()};
  const u32 code_point = text::first_char(character).code_point;
  if (is_control(code_point)) return {kReplacement, 1};
  return {character, code_point_width(code_point)};
}

std::size_t text_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const std::string_view character = text.substr(0, character_length(text));
    width += show(character).width;
    text.remove_prefix(character.size());
  }
  return width;
}

}  // namespace

LineLayout lay_out(std::string_view text, std::size_t cursor, std::size_t columns) {
  LineLayout layout{{""}};
  std::size_t column = 0;
  const auto next_row = [&] {
    layout.rows.emplace_back();
    column = 0;
  };
  const auto place_cursor = [&] {
    layout.cursor_row = layout.rows.size() - 1;
    layout.cursor_column = column;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view character = text.substr(at, character_length(text.substr(at)));
    if (character == "\n") {
      if (at == cursor) place_cursor();
      next_row();
    } else {
      const Shown shown = show(character);
      if (column + shown.width > columns) next_row();
      if (at == cursor) place_cursor();
      layout.rows.back() += shown.text;
      column += shown.width;
    }
    at += character.size();
  }
  if (cursor >= text.size()) {
    if (column >= columns) next_row();  // the cursor needs a column too
    place_cursor();
  }
  return layout;
}

std::string LinePainter::paint(const LineLayout& layout, std::size_t screen_rows) {
  const std::size_t shown = std::clamp<std::size_t>(screen_rows, 1, layout.rows.size());
  const std::size_t first = layout.cursor_row < shown ? 0 : layout.cursor_row - shown + 1;
  const std::size_t last = first + shown - 1;
  std::string bytes = erase() + rows(layout, first, last);
  if (last > layout.cursor_row) bytes += fmt::format("\x1b[{}A", last - layout.cursor_row);
  bytes += fmt::format("\r\x1b[{}C", mark_width_ + layout.cursor_column);
  cursor_row_ = layout.cursor_row - first;
  cursor_column_ = mark_width_ + layout.cursor_column;
  rows_above_.clear();
  for (std::size_t row = first; row < layout.cursor_row; ++row) {
    rows_above_.push_back(mark_width_ + text_width(layout.rows[row]));
  }
  return bytes;
}

void LinePainter::resize(std::size_t columns) {
  const auto rows_of = [columns](std::size_t width) {
    return std::max<std::size_t>((width + columns - 1) / columns, 1);
  };
  cursor_row_ = cursor_column_ / columns;
  for (const std::size_t width : rows_above_) cursor_row_ += rows_of(width);
}

std::string LinePainter::finish(const LineLayout& layout) {
  std::string bytes = erase() + rows(layout, 0, layout.rows.size() - 1) + "\r\n";
  forget();
  return bytes;
}

// A row is ended by us and never by the terminal's margin, so both always agree on where the cursor is.
std::string LinePainter::rows(const LineLayout& layout, std::size_t first, std::size_t last) const {
  std::string bytes;
  for (std::size_t row = first; row <= last; ++row) {
    if (row > first) bytes += "\r\n";
    bytes += row == 0 ? mark_ : std::string(mark_width_, ' ');
    bytes += layout.rows[row];
  }
  return bytes;
}

std::string LinePainter::erase() const {
  return (cursor_row_ > 0 ? fmt::format("\x1b[{}A", cursor_row_) : std::string()) + "\r\x1b[J";
}

}  // namespace bolide::app
