// Reads tokenizer.json, the file of the Hugging Face tokenizers library, and checks all that we rely on. The file is
// untrusted: sizes are bounded before anything is allocated for them (pitfalls B48).
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "text/pair_table.h"

namespace bolide::text {

// A larger file is refused unread. The official one has 7.8 MB; with its merges spread over lines it would have 15.
constexpr u64 kMaxTokenizerBytes = u64{32} << 20;

enum class TokenKind : u8 { kBase, kAdded, kAddedSpecial };

// The content of a tokenizer.json that holds our kind of tokenizer.
struct TokenizerFile {
  std::vector<std::string> tokens;  // the bytes of every token, by id; an added token's literal text
  std::vector<TokenKind> kinds;     // by id
  std::array<u32, 256> byte_ids;    // the token of every single byte
  PairTable merges;
};

// Errors begin with `what` (the file's path) and name the place in the file.
Result<TokenizerFile> read_tokenizer_json(std::string_view json, std::string_view what);

}  // namespace bolide::text
