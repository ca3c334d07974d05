// Reading one character of UTF-8.
#pragma once
#include <string>
#include <string_view>

#include "base/types.h"

namespace bolide::text {

// One well-formed character at the beginning of a text. length 0: there is none (the first byte is invalid).
struct Utf8Char {
  u32 code_point = 0;
  u32 length = 0;
};

// The character at the beginning of `text` by the Unicode Standard's table 3-7: no overlong forms, no surrogates,
// nothing above U+10FFFF.
inline Utf8Char first_char(std::string_view text) {
  auto byte = [&](std::size_t i) -> u32 { return i < text.size() ? static_cast<u8>(text[i]) : 0; };
  auto continues = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const u32 lead = byte(0);
  if (text.empty()) return {};
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xC2) return {};
  if (lead < 0xE0) {
    if (!continues(1)) return {};
    return {(lead & 0x1F) << 6 | (byte(1) & 0x3F), 2};
  }
  if (lead < 0xF0) {
    if (!continues(1) || !continues(2)) return {};
    const u32 code_point = (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    if (code_point < 0x800 || (code_point >= 0xD800 && code_point < 0xE000)) return {};
    return {code_point, 3};
  }
  if (lead > 0xF4 || !continues(1) || !continues(2) || !continues(3)) return {};
  const u32 code_point = (lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  if (code_point < 0x10000 || code_point > 0x10FFFF) return {};
  return {code_point, 4};
}

// The UTF-8 of a code point below 0x110000.
inline void append_utf8(std::string& out, u32 code_point) {
  auto put = [&](u32 byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) return put(code_point);
  if (code_point < 0x800) {
    put(0xC0 | code_point >> 6);
  } else if (code_point < 0x10000) {
    put(0xE0 | code_point >> 12);
    put(0x80 | (code_point >> 6 & 0x3F));
  } else {
    put(0xF0 | code_point >> 18);
    put(0x80 | (code_point >> 12 & 0x3F));
    put(0x80 | (code_point >> 6 & 0x3F));
  }
  put(0x80 | (code_point & 0x3F));
}

}  // namespace bolide::text
