#include "text/byte_alphabet.h"

#include "text/utf8.h"

namespace bolide::text {
namespace {

constexpr u32 kReplaced = 0x100;           // the first stand-in
constexpr std::size_t kReplacements = 68;  // controls, space, DEL, 0x80..0xA0, soft hyphen

bool stands_for_itself(u32 byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || (byte >= 0xAE && byte <= 0xFF);
}

struct Alphabet {
  std::array<std::string, 256> characters;
  std::array<u8, kReplaced + kReplacements> bytes = {};  // by code point
  std::array<bool, kReplaced + kReplacements> known = {};
};

Alphabet make_alphabet() {
  Alphabet alphabet;
  u32 stand_in = kReplaced;
  for (u32 byte = 0; byte < 256; ++byte) {
    const u32 code_point = stands_for_itself(byte) ? byte : stand_in++;
    append_utf8(alphabet.characters[byte], code_point);
    alphabet.bytes[code_point] = static_cast<u8>(byte);
    alphabet.known[code_point] = true;
  }
  return alphabet;
}

const Alphabet& alphabet() {
  static const Alphabet made = make_alphabet();
  return made;
}

}  // namespace

const std::array<std::string, 256>& byte_characters() {
  return alphabet().characters;
}

std::optional<std::string> bytes_of_alphabet(std::string_view text) {
  const Alphabet& table = alphabet();
  std::string bytes;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = first_char(text.substr(at));
    if (c.length == 0 || c.code_point >= table.known.size() || !table.known[c.code_point]) return std::nullopt;
    bytes.push_back(static_cast<char>(table.bytes[c.code_point]));
    at += c.length;
  }
  return bytes;
}

}  // namespace bolide::text
