#include "text/constrain/grammar.h"

#include <algorithm>

namespace bolide::text {

Grammar::Grammar() {
  nodes_.push_back({});  // end()
}

GrammarNode Grammar::add(const Node& node) {
  if (too_large()) return end();
  nodes_.push_back(node);
  return static_cast<GrammarNode>(nodes_.size() - 1);
}

GrammarNode Grammar::bytes(const ByteSet& set, GrammarNode next) {
  const auto known = std::ranges::find(sets_, set);
  const auto index = static_cast<u32>(known - sets_.begin());
  if (known == sets_.end()) sets_.push_back(set);
  return add({Node::Kind::kBytes, index, 0, next});
}

GrammarNode Grammar::literal(std::string_view text, GrammarNode next) {
  for (std::size_t i = text.size(); i-- > 0;) next = bytes(byte_set(text.substr(i, 1)), next);
  return next;
}

GrammarNode Grammar::either(std::span<const GrammarNode> alternatives) {
  if (alternatives.size() == 1) return alternatives.front();
  if (too_large()) return end();
  const auto first = static_cast<u32>(alternatives_.size());
  alternatives_.insert(alternatives_.end(), alternatives.begin(), alternatives.end());
  return add({Node::Kind::kSplit, first, static_cast<u32>(alternatives_.size()), 0});
}

GrammarNode Grammar::call(GrammarRule rule, GrammarNode next) {
  return add({Node::Kind::kCall, rule, 0, next});
}

GrammarNode Grammar::repeat(GrammarRule rule, u32 min, u32 max, GrammarNode next) {
  return add({Node::Kind::kRepeat, rule, 0, next, min, max});
}

GrammarRule Grammar::declare_rule() {
  rules_.push_back(end());
  return static_cast<GrammarRule>(rules_.size() - 1);
}

GrammarRule Grammar::add_rule(GrammarNode begin) {
  rules_.push_back(begin);
  return static_cast<GrammarRule>(rules_.size() - 1);
}

ByteSet byte_range(u8 first, u8 last) {
  ByteSet set;
  for (u32 byte = first; byte <= last; ++byte) set.set(byte);
  return set;
}

ByteSet byte_set(std::string_view bytes) {
  ByteSet set;
  for (const char byte : bytes) set.set(static_cast<u8>(byte));
  return set;
}

}  // namespace bolide::text
