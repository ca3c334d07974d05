#include "text/stream_decoder.h"

#include <algorithm>

#include "text/utf8.h"

namespace bolide::text {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

bool is_not_ascii(char c) {
  return static_cast<u8>(c) >= 0x80;
}

// Length of the longest beginning of `text` that begins (or is) a well-formed character; at least 1. Sets `whole` if it
// is one, `open` if more bytes could make it one.
struct Beginning {
  std::size_t length = 1;
  bool whole = false;
  bool open = false;
};

Beginning beginning_of(std::string_view text) {
  if (const Utf8Char c = first_char(text); c.length > 0) return {c.length, true, false};
  const u8 lead = static_cast<u8>(text[0]);
  if (lead < 0xC2 || lead > 0xF4) return {};
  const std::size_t wanted = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  Beginning result;
  for (; result.length < wanted; ++result.length) {
    if (result.length == text.size()) {
      result.open = true;
      break;
    }
    // The second byte has a narrower range after some leads (table 3-7 of the Unicode Standard).
    const u8 low = result.length > 1 ? 0x80 : lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const u8 high = result.length > 1 ? 0xBF : lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    const u8 byte = static_cast<u8>(text[result.length]);
    if (byte < low || byte > high) break;
  }
  return result;
}

}  // namespace

std::string Utf8Stream::push(std::string_view bytes) {
  std::string pending = std::move(held_);
  pending += bytes;
  held_.clear();
  std::string out;
  out.reserve(pending.size());
  for (std::string_view rest = pending; !rest.empty();) {
    const std::size_t n_ascii = static_cast<std::size_t>(std::ranges::find_if(rest, is_not_ascii) - rest.begin());
    out += rest.substr(0, n_ascii);
    rest.remove_prefix(n_ascii);
    if (rest.empty()) break;
    const Beginning beginning = beginning_of(rest);
    if (beginning.open) {
      held_ = rest;
      break;
    }
    out += beginning.whole ? rest.substr(0, beginning.length) : kReplacement;
    rest.remove_prefix(beginning.length);
  }
  return out;
}

std::string Utf8Stream::finish() {
  if (held_.empty()) return {};
  held_.clear();
  return std::string(kReplacement);
}

}  // namespace bolide::text
