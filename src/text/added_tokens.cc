#include "text/added_tokens.h"

#include "base/check.h"

namespace bolide::text {

u32 AddedTokenMatcher::child(u32 node, char byte) const {
  u32 found = nodes_[node].child;
  while (found != kNone && nodes_[found].byte != byte) found = nodes_[found].sibling;
  return found;
}

void AddedTokenMatcher::add(std::string_view content, u32 id) {
  check(!content.empty(), "an added token has a text");
  begins_[static_cast<u8>(content[0])] = true;
  u32 node = 0;
  for (const char byte : content) {
    u32 following = child(node, byte);
    if (following == kNone) {
      following = static_cast<u32>(nodes_.size());
      nodes_.push_back({.byte = byte, .sibling = nodes_[node].child});
      nodes_[node].child = following;
    }
    node = following;
  }
  nodes_[node].id = id;
}

std::optional<AddedTokenMatch> AddedTokenMatcher::longest_at(std::string_view text, std::size_t begin) const {
  std::optional<AddedTokenMatch> longest;
  u32 node = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    node = child(node, text[i]);
    if (node == kNone) break;
    if (nodes_[node].id != kNone) longest = {begin, i + 1 - begin, nodes_[node].id};
  }
  return longest;
}

std::optional<AddedTokenMatch> AddedTokenMatcher::find(std::string_view text, std::size_t from) const {
  for (std::size_t i = from; i < text.size(); ++i) {
    if (!begins_[static_cast<u8>(text[i])]) continue;
    if (auto match = longest_at(text, i)) return match;
  }
  return std::nullopt;
}

std::optional<u32> AddedTokenMatcher::find_exact(std::string_view content) const {
  const auto match = longest_at(content, 0);
  if (!match || match->length != content.size()) return std::nullopt;
  return match->id;
}

}  // namespace bolide::text
