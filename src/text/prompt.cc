#include "text/prompt.h"

namespace bolide::text {

std::vector<u32> encode_prompt(const Tokenizer& tokenizer, const Prompt& prompt) {
  std::vector<u32> ids;
  for (const PromptPart& part : prompt.parts) {
    const std::vector<u32> text = tokenizer.encode(part.text);
    ids.insert(ids.end(), text.begin(), text.end());
    ids.insert(ids.end(), part.sampled.begin(), part.sampled.end());
  }
  return ids;
}

std::string prompt_text(const Tokenizer& tokenizer, const Prompt& prompt) {
  std::string text;
  for (const PromptPart& part : prompt.parts) {
    for (const TextSpan& span : part.text) text += span.text;
    text += tokenizer.decode(part.sampled);
  }
  return text;
}

}  // namespace bolide::text
