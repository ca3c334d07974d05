// Gathers a prompt and keeps apart what is ours and what callers wrote (prompt-format.md section 6).
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "text/prompt.h"

namespace bolide::text {

class PromptBuilder {
 public:
  // Words of the format: the markers in it become tokens.
  void scaffold(std::string_view text) { add(text, AddedTokens::kMatch); }
  // Text of callers: never a marker (pitfalls B03).
  void caller_text(std::string_view text) { add(text, AddedTokens::kIgnore); }
  // The same with every `words` written as `escape`.
  void caller_text(std::string_view text, std::string_view words, std::string_view escape);
  // An earlier answer's tokens. Added tokens must stand on both sides, since nothing merges across.
  void sampled(std::span<const u32> ids);
  void image(PromptImage image);

  Prompt take() { return std::move(prompt_); }

 private:
  void add(std::string_view text, AddedTokens added_tokens);

  Prompt prompt_;
};

}  // namespace bolide::text
