#include "text/prompt_builder.h"

#include <utility>

#include "text/markers.h"

namespace bolide::text {

void PromptBuilder::caller_text(std::string_view text, std::string_view words, std::string_view escape) {
  for (std::size_t at = text.find(words); at != std::string_view::npos; at = text.find(words)) {
    caller_text(text.substr(0, at));
    caller_text(escape);
    text.remove_prefix(at + words.size());
  }
  caller_text(text);
}

void PromptBuilder::sampled(std::span<const u32> ids) {
  if (prompt_.parts.empty() || !prompt_.parts.back().sampled.empty()) prompt_.parts.emplace_back();
  prompt_.parts.back().sampled.assign(ids.begin(), ids.end());
}

void PromptBuilder::image(PromptImage image) {
  scaffold(kImageMarker);
  prompt_.images.push_back(std::move(image));
}

// Neighbours of one kind are joined.
void PromptBuilder::add(std::string_view text, AddedTokens added_tokens) {
  if (text.empty()) return;
  if (prompt_.parts.empty() || !prompt_.parts.back().sampled.empty()) prompt_.parts.emplace_back();
  std::vector<TextSpan>& spans = prompt_.parts.back().text;
  if (spans.empty() || spans.back().added_tokens != added_tokens) spans.push_back({"", added_tokens});
  spans.back().text += text;
}

}  // namespace bolide::text
