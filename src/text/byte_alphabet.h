// The byte alphabet of byte-level BPE (from GPT-2): tokenizer.json writes every byte of a token as one printable
// character. Printable bytes of Latin-1 stand for themselves, the 68 others are U+0100, U+0101, ... in order.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/types.h"

namespace bolide::text {

// The character of every byte, as UTF-8.
const std::array<std::string, 256>& byte_characters();

// The bytes that a text in this alphabet stands for, or nothing if it holds another character.
std::optional<std::string> bytes_of_alphabet(std::string_view text);

}  // namespace bolide::text
