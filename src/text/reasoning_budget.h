// When the model has thought enough (pitfalls B33): at the end of a budget the token </think> is to be sampled by
// force, so that the answer still has room.
#pragma once
#include <algorithm>

#include "text/token_constraint.h"

namespace bolide::text {

// Of the tokens that an answer may have, this part at most is kept from the reasoning where a budget is asked for.
constexpr u64 kAnswerShare = 4;  // a quarter
constexpr u64 kMostAnswerRoom = 4096;

// The tokens of reasoning, </think> not counted, that leave the answer its room: at most `asked`, and at most what
// remains of `max_tokens` without </think> and the room.
constexpr u64 reasoning_budget(u64 asked, u64 max_tokens) {
  const u64 room = std::clamp<u64>(max_tokens / kAnswerShare, 1, kMostAnswerRoom) + 1;
  return std::min(asked, max_tokens > room ? max_tokens - room : 0);
}

// Counts the tokens of one output and forces </think> when the reasoning has had its share.
class ReasoningBudget : public TokenConstraint {
 public:
  // `tokens` of reasoning at most. `thinking`: the output begins with reasoning.
  ReasoningBudget(u64 tokens, bool thinking, u32 end_think) : limit_(tokens), end_think_(end_think), open_(thinking) {}

  bool restricts() const override { return open_ && used_ >= limit_; }
  void exclude(std::span<u64> allowed) const override {
    if (!restricts()) return;
    for (u64 word = 0; word < allowed.size(); ++word) {
      allowed[word] &= word == end_think_ / 64 ? u64{1} << (end_think_ % 64) : 0;
    }
  }
  void accept(u32 id) override {
    if (!open_) return;
    if (id == end_think_) {
      open_ = false;
    } else {
      ++used_;
    }
  }
  std::unique_ptr<TokenConstraint> clone() const override { return std::make_unique<ReasoningBudget>(*this); }

 private:
  u64 limit_;
  u32 end_think_;
  bool open_;
  u64 used_ = 0;  // tokens of reasoning so far
};

}  // namespace bolide::text
