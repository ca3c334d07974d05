// Text from tokens as they come. A token may end in the middle of a character (pitfalls B15): its bytes are held until
// the character is whole.
#pragma once
#include <string>
#include <string_view>

#include "text/tokenizer.h"

namespace bolide::text {

// Turns a stream of bytes into valid UTF-8. Bytes that can be no part of a character become U+FFFD at once, one for
// each maximal beginning of a character (the Unicode Standard's section 3.9); a beginning that may still be completed
// is held. So the pieces joined are the same however the bytes were cut.
class Utf8Stream {
 public:
  // What can be shown after these bytes too: whole characters only, maybe nothing.
  std::string push(std::string_view bytes);
  // The end: a character that was never completed, as one U+FFFD, or nothing.
  std::string finish();

 private:
  std::string held_;  // a proper beginning of one character: at most 3 bytes
};

// The same for token ids. Refers to the tokenizer, which must outlive it. For one thread.
class StreamDecoder {
 public:
  explicit StreamDecoder(const Tokenizer& tokenizer) : tokenizer_(&tokenizer) {}
  std::string push(u32 id) { return utf8_.push(tokenizer_->token_bytes(id)); }
  std::string finish() { return utf8_.finish(); }

 private:
  const Tokenizer* tokenizer_;
  Utf8Stream utf8_;
};

}  // namespace bolide::text
