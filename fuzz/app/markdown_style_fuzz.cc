// What a model writes, cut anywhere and shown with colours: no command reaches the terminal but a style's, and without
// these the text is what it was.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "app/markdown_style.h"
#include "app/terminal_text.h"
#include "base/check.h"
#include "text/stream_decoder.h"

namespace {

// Every byte of text with the style in which it is shown.
std::string styles_and_text(std::string_view bytes) {
  std::string shown;
  std::string style;
  while (!bytes.empty()) {
    if (bytes[0] != '\x1b') {
      shown += style + bytes[0];
      bytes.remove_prefix(1);
      continue;
    }
    const std::size_t end = bytes.find('m');
    bolide::check(end != std::string_view::npos &&
                      bytes.substr(0, end).find_first_not_of("\x1b[0123456789;") == std::string_view::npos,
                  "only styles are switched");
    style = bytes.substr(2, end - 2) == "0" ? "" : std::string(bytes.substr(1, end - 1));
    bytes.remove_prefix(end + 1);
  }
  bolide::check(style.empty(), "no style stays on");
  return shown;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  bolide::text::Utf8Stream utf8;
  std::string text = utf8.push({reinterpret_cast<const char*>(data), size});
  text += utf8.finish();
  const std::string safe = bolide::app::without_controls(text);
  bolide::check(safe.find('\x1b') == std::string::npos, "text has no escape");

  bolide::app::MarkdownStyle whole;
  const std::string at_once = whole.push(safe) + whole.finish();
  bolide::app::MarkdownStyle cut;
  const std::size_t middle = size == 0 ? 0 : data[0] * safe.size() / 256;
  std::string in_pieces = styles_and_text(cut.push(safe.substr(0, middle)));
  in_pieces += styles_and_text(cut.push(safe.substr(middle)));
  in_pieces += styles_and_text(cut.finish());
  bolide::check(styles_and_text(at_once) == in_pieces, "any cut gives the same");

  std::string plain;
  for (std::size_t i = 0; i < at_once.size(); ++i) {
    if (at_once[i] == '\x1b') {
      i = at_once.find('m', i);
    } else {
      plain += at_once[i];
    }
  }
  bolide::check(plain == safe, "only styles are added");
  return 0;
}
