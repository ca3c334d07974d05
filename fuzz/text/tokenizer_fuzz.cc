// Any text survives nano's tokenizer, whole, in spans and as a stream.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "text/stream_decoder.h"
#include "text/tokenizer.h"

namespace {

using namespace bolide;

const text::Tokenizer& nano() {
  static const text::Tokenizer tokenizer = text::Tokenizer::from_file(BOLIDE_SOURCE_DIR "/models/nano").value();
  return tokenizer;
}

// The first byte says where the text is cut in two spans; the rest is the text.
void check_text(std::size_t cut, std::string_view content) {
  const auto literal = nano().encode(content, text::AddedTokens::kIgnore);
  check(nano().decode(literal) == content, "decoding undoes encoding");
  for (const u32 id : literal) check(!nano().is_added(id), "literal text holds no added token");
  check(nano().decode(nano().encode(content, text::AddedTokens::kMatch)) == content, "decoding undoes encoding");

  const std::string head(content.substr(0, cut));
  const std::string tail(content.substr(head.size()));
  const std::vector<text::TextSpan> plain = {{head, text::AddedTokens::kIgnore}, {tail, text::AddedTokens::kIgnore}};
  check(nano().encode(plain) == literal, "span borders change nothing");
  const std::vector<text::TextSpan> mixed = {{head, text::AddedTokens::kMatch}, {tail, text::AddedTokens::kIgnore}};
  check(nano().decode(nano().encode(mixed)) == content, "decoding undoes encoding");

  text::StreamDecoder decoder(nano());
  std::string streamed;
  for (const u32 id : literal) streamed += decoder.push(id);
  streamed += decoder.finish();
  text::Utf8Stream whole;
  std::string expected = whole.push(content);
  expected += whole.finish();
  check(streamed == expected, "a stream gives the text of the whole");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size > 0) check_text(data[0], std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1));
  return 0;
}
