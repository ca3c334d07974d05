// The tokenizer of models/nano, for the tests of this room.
#pragma once
#include "text/tokenizer.h"

namespace bolide::text {

inline const Tokenizer& nano_tokenizer() {
  static const Tokenizer tokenizer = Tokenizer::from_file(BOLIDE_SOURCE_DIR "/models/nano").value();
  return tokenizer;
}

}  // namespace bolide::text
