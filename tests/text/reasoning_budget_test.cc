#include "text/reasoning_budget.h"

#include <array>
#include <gtest/gtest.h>
#include <vector>

namespace bolide::text {
namespace {

constexpr u32 kEndThinkId = 70;

// The ids that a budget leaves of a vocabulary of 128.
std::vector<u32> allowed_ids(const ReasoningBudget& budget) {
  std::array<u64, 2> allowed = {~u64{0}, ~u64{0}};
  budget.exclude(allowed);
  std::vector<u32> ids;
  for (u32 id = 0; id < 128; ++id) {
    if ((allowed[id / 64] >> (id % 64) & 1) != 0) ids.push_back(id);
  }
  return ids;
}

// How many tokens of a model that never stops thinking come before the tag that ends it, in an output of at most `max`.
u64 reasoning_tokens(ReasoningBudget& budget, u64 max) {
  for (u64 n = 0; n < max; ++n) {
    const bool forced = budget.restricts();
    budget.accept(forced ? kEndThinkId : 1);
    if (forced) return n;
  }
  return max;
}

TEST(ReasoningBudget, TheTagIsForcedAtItsEnd) {
  ReasoningBudget budget(5, true, kEndThinkId);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(allowed_ids(budget).size(), 128U);
    budget.accept(1);
  }
  EXPECT_EQ(allowed_ids(budget), std::vector<u32>{kEndThinkId});
  budget.accept(kEndThinkId);
  EXPECT_FALSE(budget.restricts());  // once
}

TEST(ReasoningBudget, ABudgetOfNothingForcesTheFirstToken) {
  EXPECT_EQ(allowed_ids(ReasoningBudget(0, true, kEndThinkId)), std::vector<u32>{kEndThinkId});
}

TEST(ReasoningBudget, NothingIsForcedOutsideTheReasoning) {
  ReasoningBudget budget(2, true, kEndThinkId);
  budget.accept(1);
  budget.accept(kEndThinkId);
  for (int i = 0; i < 10; ++i) budget.accept(1);
  EXPECT_FALSE(budget.restricts());
  EXPECT_FALSE(ReasoningBudget(0, false, kEndThinkId).restricts());
}

TEST(ReasoningBudget, ACopyGoesItsOwnWay) {
  ReasoningBudget budget(1, true, kEndThinkId);
  const std::unique_ptr<TokenConstraint> draft = budget.clone();
  draft->accept(1);
  EXPECT_TRUE(draft->restricts());
  EXPECT_FALSE(budget.restricts());
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
