// A rendered prompt: text with its rule for added tokens, answers as they were sampled, images.
#pragma once
#include <string>
#include <vector>

#include "base/types.h"
#include "text/tokenizer.h"

namespace bolide::text {

// A stretch of a prompt: text, then maybe an earlier answer's tokens.
struct PromptPart {
  std::vector<TextSpan> text;
  std::vector<u32> sampled;
};

// An image of the conversation; its place in the prompt is one image token.
struct PromptImage {
  std::size_t message;  // the index of the message that holds it
  std::string address;  // as received, such as a data URI
};

struct Prompt {
  std::vector<PromptPart> parts;
  std::vector<PromptImage> images;  // in the order of their tokens
};

std::vector<u32> encode_prompt(const Tokenizer& tokenizer, const Prompt& prompt);
// The prompt as one text.
std::string prompt_text(const Tokenizer& tokenizer, const Prompt& prompt);

}  // namespace bolide::text
