#include "text/constrain/vocabulary.h"

#include <algorithm>
#include <numeric>

namespace bolide::text {
namespace {

constexpr std::size_t kLongestToken = 4096;

}  // namespace

Vocabulary::Vocabulary(const Tokenizer& tokenizer) : size_(tokenizer.vocab_size()), bytes_(tokenizer.vocab_size()) {
  const std::optional<u32> dsml = tokenizer.find_added_token("｜DSML｜");
  for (u32 id = 0; id < size_; ++id) {
    if (!tokenizer.is_added(id)) bytes_[id] = tokenizer.token_bytes(id);
    // Some tokens are bytes that no text has; one of them stands for ｜DSML｜ here.
    if (bytes_[id].find(kDsmlByte) != std::string::npos) bytes_[id].clear();
    if (id == dsml) bytes_[id] = kDsmlByte;
    if (bytes_[id].size() > kLongestToken) bytes_[id].clear();  // no tokenizer has such; it cannot come
    longest_token_ = std::max(longest_token_, static_cast<u32>(bytes_[id].size()));
  }
  std::vector<u32> order(size_);
  std::iota(order.begin(), order.end(), 0u);
  std::erase_if(order, [&](u32 id) { return bytes_[id].empty(); });
  std::ranges::sort(order, [&](u32 a, u32 b) { return bytes_[a] < bytes_[b]; });

  std::vector<u32> path;  // nodes from the root to the last token
  std::string_view last;
  const auto close = [&](std::size_t depth) {
    for (; path.size() > depth; path.pop_back()) nodes_[path.back()].subtree_end = static_cast<u32>(nodes_.size());
  };
  for (const u32 id : order) {
    const std::string& bytes = bytes_[id];
    const auto common = static_cast<std::size_t>(std::ranges::mismatch(last, bytes).in2 - bytes.begin());
    close(common);
    for (std::size_t depth = common; depth < bytes.size(); ++depth) {
      path.push_back(static_cast<u32>(nodes_.size()));
      nodes_.push_back({0, static_cast<u32>(tokens_.size()), static_cast<u16>(depth), static_cast<u8>(bytes[depth])});
    }
    tokens_.push_back(id);
    last = bytes;
  }
  close(0);
  nodes_.push_back({0, static_cast<u32>(tokens_.size()), 0, 0});  // behind the last
}

void Vocabulary::allow(Matcher& matcher, MatcherState state, std::span<u64> allowed) const {
  std::vector<MatcherState> states(longest_token_ + 1);  // by depth
  states[0] = state;
  for (u32 i = 0; i + 1 < nodes_.size();) {
    const Node& node = nodes_[i];
    const MatcherState next = matcher.step(states[node.depth], node.byte);
    if (next == kDead) {
      i = node.subtree_end;
      continue;
    }
    states[node.depth + 1] = next;
    for (u32 token = node.first_token; token < nodes_[i + 1].first_token; ++token) {
      allowed[tokens_[token] / 64] |= u64{1} << (tokens_[token] % 64);
    }
    ++i;
  }
}

}  // namespace bolide::text
