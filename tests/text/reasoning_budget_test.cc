#include "text/reasoning_budget.h"

#include <gtest/gtest.h>
#include <vector>

namespace bolide::text {
namespace {

constexpr u32 kEndThinkId = 9;

// How many tokens of a model that never stops thinking come before the tag that ends it, in an output of at most `max`.
u64 reasoning_tokens(ReasoningBudget& budget, u64 max) {
  for (u64 n = 0; n < max; ++n) {
    const std::optional<u32> forced = budget.forced_token();
    budget.sampled(forced.value_or(1));
    if (forced) return n;
  }
  return max;
}

TEST(ReasoningBudget, TheTagIsForcedAtItsEnd) {
  ReasoningBudget budget(5, true, kEndThinkId);
  EXPECT_EQ(reasoning_tokens(budget, 100), 5U);
  EXPECT_EQ(budget.forced_token(), std::nullopt);  // once
  EXPECT_EQ(budget.used(), 5U);
}

TEST(ReasoningBudget, ABudgetOfNothingForcesTheFirstToken) {
  EXPECT_EQ(ReasoningBudget(0, true, kEndThinkId).forced_token(), kEndThinkId);
}

TEST(ReasoningBudget, NothingIsForcedOutsideTheReasoning) {
  ReasoningBudget budget(2, true, kEndThinkId);
  budget.sampled(1);
  budget.sampled(kEndThinkId);
  for (int i = 0; i < 10; ++i) budget.sampled(1);
  EXPECT_EQ(budget.forced_token(), std::nullopt);
  EXPECT_EQ(budget.used(), 1U);
  EXPECT_EQ(ReasoningBudget(0, false, kEndThinkId).forced_token(), std::nullopt);
  ReasoningBudget closed(0, true, kEndThinkId);
  closed.close();
  EXPECT_EQ(closed.forced_token(), std::nullopt);
}

TEST(ReasoningBudget, WithoutABudgetNothingIsForced) {
  ReasoningBudget budget(std::nullopt, true, kEndThinkId);
  EXPECT_EQ(reasoning_tokens(budget, 1000), 1000U);
}

TEST(ReasoningBudget, B33TheAnswerHasRoom) {
  for (const u64 max : {2, 3, 20, 200, 260, 100'000}) {
    for (const u64 asked : {u64{0}, u64{10}, u64{1'000'000}}) {
      const u64 tokens = reasoning_budget(asked, max);
      EXPECT_LE(tokens, asked);
      ReasoningBudget budget(tokens, true, kEndThinkId);
      const u64 used = reasoning_tokens(budget, max);
      ASSERT_GE(max, used + 2) << max;  // the tag and a token of the answer
      EXPECT_GE(max - used - 1, std::min<u64>(max / 4, 4096)) << max;
    }
  }
  EXPECT_EQ(reasoning_budget(10, 200), 10U);  // what was asked for fits
}

}  // namespace
}  // namespace bolide::text
