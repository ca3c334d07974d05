// What a terminal sends, cut in two places: the keys are the same however it is cut, and all text is valid UTF-8.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "app/terminal_keys.h"
#include "base/check.h"
#include "text/utf8.h"

namespace {

using bolide::app::Key;
using bolide::app::KeyDecoder;
using bolide::app::KeyPress;

void check_utf8(std::string_view text) {
  while (!text.empty()) {
    const bolide::text::Utf8Char next = bolide::text::first_char(text);
    bolide::check(next.length > 0, "keys give valid UTF-8");
    text.remove_prefix(next.length);
  }
}

// Adds the keys; neighbouring text is joined, because it may come in any number of pieces.
void add(std::vector<KeyPress>& keys, std::vector<KeyPress> more) {
  for (KeyPress& key : more) {
    check_utf8(key.text);
    if (key.key == Key::kText && !keys.empty() && keys.back().key == Key::kText) {
      keys.back().text += key.text;
    } else {
      keys.push_back(std::move(key));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::vector<KeyPress> whole;
  KeyDecoder decoder;
  add(whole, decoder.push(bytes));

  std::vector<KeyPress> cut;
  KeyDecoder cut_decoder;
  const std::size_t middle = size == 0 ? 0 : data[0] % (size + 1);
  add(cut, cut_decoder.push(bytes.substr(0, middle)));
  add(cut, cut_decoder.push(bytes.substr(middle)));
  bolide::check(whole == cut, "any cut of the bytes gives the same keys");
  return 0;
}
