// The token map: tokens whose texts fold to the same are one to the Engram hash. Built where no stored one exists.
// Source: spec model.md 3.2.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace bolide::engram {

// A token as the map sees it. (Room engram knows no tokenizer.)
struct TokenText {
  std::string_view bytes;  // what it decodes to; an added token's literal text
  std::string vocabulary;  // its entry in tokenizer.json, which is the key of bytes that are no text
};

struct TokenMap {
  std::vector<u32> ids;  // token id -> compressed id
  u32 compressed_vocab_size = 0;
};

// `tokens` by id. Compressed ids are given in the order of first appearance.
TokenMap build_token_map(std::span<const TokenText> tokens);

}  // namespace bolide::engram
