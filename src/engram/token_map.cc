#include "engram/token_map.h"

#include <unordered_map>

#include "engram/text_fold.h"
#include "text/utf8.h"

namespace bolide::engram {
namespace {

constexpr u32 kReplacementCharacter = 0xFFFD;  // what decoding makes of bytes that are no text

// Whether decoding gives a text without replacement characters.
bool is_text(std::string_view bytes) {
  while (!bytes.empty()) {
    const text::Utf8Char c = text::first_char(bytes);
    if (c.length == 0 || c.code_point == kReplacementCharacter) return false;
    bytes.remove_prefix(c.length);
  }
  return true;
}

std::string key_of(const TokenText& token) {
  if (!is_text(token.bytes)) return token.vocabulary;
  std::string folded = folded_text(token.bytes);
  return folded.empty() ? std::string(token.bytes) : folded;
}

}  // namespace

TokenMap build_token_map(std::span<const TokenText> tokens) {
  TokenMap map;
  map.ids.reserve(tokens.size());
  std::unordered_map<std::string, u32> ids;
  for (const TokenText& token : tokens) {
    map.ids.push_back(ids.try_emplace(key_of(token), static_cast<u32>(ids.size())).first->second);
  }
  map.compressed_vocab_size = static_cast<u32>(ids.size());
  return map;
}

}  // namespace bolide::engram
