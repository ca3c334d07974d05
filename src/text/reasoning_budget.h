// When the model has thought enough (pitfalls B33): at the end of a budget the token </think> is to be sampled by
// force, so that the answer still has room.
#pragma once
#include <algorithm>
#include <limits>
#include <optional>

#include "base/types.h"

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

// Counts the tokens of one output. It is told every token, forced ones too; ask forced_token() before each is sampled.
class ReasoningBudget {
 public:
  // `tokens` of reasoning at most; none: no limit, nothing is ever forced. `thinking`: the output begins with
  // reasoning.
  ReasoningBudget(std::optional<u64> tokens, bool thinking, u32 end_think)
      : limit_(tokens.value_or(std::numeric_limits<u64>::max())), end_think_(end_think), open_(thinking) {}

  // The token that the next one has to be.
  std::optional<u32> forced_token() const {
    if (open_ && used_ >= limit_) return end_think_;
    return std::nullopt;
  }
  void sampled(u32 id) {
    if (!open_) return;
    if (id == end_think_) {
      open_ = false;
    } else {
      ++used_;
    }
  }
  // The reasoning ended in another way: by a tool call.
  void close() { open_ = false; }
  // Tokens of reasoning so far, for the usage report.
  u64 used() const { return used_; }

 private:
  u64 limit_;
  u32 end_think_;
  bool open_;
  u64 used_ = 0;
};

}  // namespace bolide::text
