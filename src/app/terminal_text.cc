#include "app/terminal_text.h"

#include <clocale>
#include <cstring>
#include <cwchar>
#include <langinfo.h>

#include "text/utf8.h"

namespace bolide::app {
namespace {

constexpr u32 kZeroWidthJoiner = 0x200D;

bool locale_is_utf8() {
  return std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

}  // namespace

bool is_control(u32 code_point) {
  const bool reorders =
      (code_point >= 0x202A && code_point <= 0x202E) || (code_point >= 0x2066 && code_point <= 0x2069);
  return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0) || reorders;
}

void use_unicode_widths() {
  if (std::setlocale(LC_CTYPE, "") != nullptr && locale_is_utf8()) return;
  for (const char* name : {"C.UTF-8", "en_US.UTF-8"}) {  // Debian, macOS
    if (std::setlocale(LC_CTYPE, name) != nullptr) return;
  }
}

std::size_t code_point_width(u32 code_point) {
  if (is_control(code_point)) return 0;
  const int width = ::wcwidth(static_cast<wchar_t>(code_point));
  return width < 0 ? 1 : static_cast<std::size_t>(width);  // unknown to the C library: most likely one column
}

std::size_t character_length(std::string_view text) {
  std::size_t length = 0;
  bool joins = true;  // the first code point always belongs
  while (length < text.size()) {
    const text::Utf8Char next = text::first_char(text.substr(length));
    if (next.length == 0) return length == 0 ? 1 : length;
    if (!joins && (is_control(next.code_point) || code_point_width(next.code_point) > 0)) break;
    joins = next.code_point == kZeroWidthJoiner;
    length += next.length;
    if (is_control(next.code_point)) break;
  }
  return length;
}

std::size_t previous_character(std::string_view text, std::size_t position) {
  std::size_t previous = 0;
  for (std::size_t at = 0; at < position; at += character_length(text.substr(at))) previous = at;
  return previous;
}

std::string without_controls(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const text::Utf8Char next = text::first_char(text);
    const std::size_t length = next.length == 0 ? 1 : next.length;
    const bool shown = next.length > 0 && (!is_control(next.code_point) || text[0] == '\n' || text[0] == '\t');
    if (text.starts_with("\r\n")) {
      // the line feed comes next
    } else if (shown) {
      safe += text.substr(0, length);
    } else {
      text::append_utf8(safe, 0xFFFD);
    }
    text.remove_prefix(length);
  }
  return safe;
}

}  // namespace bolide::app
