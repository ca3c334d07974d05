// The tokenizer of synthetic models: every byte is a token, nothing merges.
#pragma once
#include <string>

#include "base/types.h"

namespace bolide::convert {

struct SynthTokenizer {
  std::string json;    // tokenizer.json
  u32 noise_token_id;  // <｜System｜>, as in the official model
  u32 image_token_id;
};

// Ids as in nano: begin, end and pad of a sequence, the 256 bytes, words that no text is merged to (the model can say
// them), and at the top the official control tokens by name, so that prompts can be written. vocab_size is at least
// 512.
SynthTokenizer synth_tokenizer(u32 vocab_size);

}  // namespace bolide::convert
