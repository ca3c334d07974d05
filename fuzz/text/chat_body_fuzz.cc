// Any bytes as a chat request: refused by a sentence in UTF-8, or rendered so that no text of the caller is a marker.
#include <cstddef>
#include <string>
#include <string_view>

#include "base/check.h"
#include "text/chat_body.h"
#include "text/stream_decoder.h"
#include "text/tokenizer.h"

namespace {

using namespace bolide;

const text::Tokenizer& nano() {
  static const text::Tokenizer tokenizer = text::Tokenizer::from_file(BOLIDE_SOURCE_DIR "/models/nano").value();
  return tokenizer;
}

bool is_utf8(std::string_view bytes) {
  text::Utf8Stream utf8;
  std::string shown = utf8.push(bytes);
  shown += utf8.finish();
  return shown == bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const Result<text::ChatRequest> request = text::parse_chat_body(body);
  if (!request) {
    check(is_utf8(request.error().message), "an error can be sent to the client");
    return 0;
  }
  const Result<text::Prompt> prompt = text::render_chat(request->conversation, request->options);
  if (!prompt) return 0;
  const std::string text = text::prompt_text(nano(), *prompt);
  check(is_utf8(text), "a prompt is text");
  check(nano().decode(text::encode_prompt(nano(), *prompt)) == text, "the tokens are those of the prompt");
  const Result<text::Json> json = text::parse_json_text(body, "body");
  check(json.ok(), "a request is JSON");
  const std::string dumped = text::dump_json(*json);
  check(text::dump_json(text::parse_json_text(dumped, "dump").value()) == dumped, "what is written can be read");
  return 0;
}
