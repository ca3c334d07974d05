// Any tokenizer.json is refused or gives a tokenizer that keeps its promises.
//   tokenizer_json_fuzz CORPUS fuzz/seeds/tokenizer_json
#include <cstddef>
#include <string>
#include <string_view>

#include "base/check.h"
#include "text/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace bolide;
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  const Result<text::Tokenizer> tokenizer = text::Tokenizer::from_json(json, "fuzz");
  if (!tokenizer) return 0;
  std::string every_byte;
  for (u32 byte = 0; byte < 256; ++byte) every_byte += static_cast<char>(byte);
  for (const auto added_tokens : {text::AddedTokens::kMatch, text::AddedTokens::kIgnore}) {
    for (const std::string_view content : {std::string_view(every_byte), json.substr(0, 1000)}) {
      check(tokenizer->decode(tokenizer->encode(content, added_tokens)) == content, "decoding undoes encoding");
    }
  }
  return 0;
}
