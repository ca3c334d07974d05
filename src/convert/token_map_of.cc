#include "convert/token_map_of.h"

#include "text/byte_alphabet.h"
#include "text/tokenizer_json.h"

namespace bolide::convert {
namespace {

std::string in_byte_alphabet(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += text::byte_characters()[static_cast<u8>(c)];
  return text;
}

}  // namespace

Result<engram::TokenMap> token_map_of(std::string_view tokenizer_json, std::string_view what) {
  const Result<text::TokenizerFile> file = text::read_tokenizer_json(tokenizer_json, what);
  if (!file) return file.error();
  std::vector<engram::TokenText> tokens;
  tokens.reserve(file->tokens.size());
  for (std::size_t id = 0; id < file->tokens.size(); ++id) {
    const std::string& bytes = file->tokens[id];
    const bool added = file->kinds[id] != text::TokenKind::kBase;
    tokens.push_back({bytes, added ? bytes : in_byte_alphabet(bytes)});
  }
  return engram::build_token_map(tokens);
}

}  // namespace bolide::convert
