#include "app/logits_pair.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/engine.h"
#include "support/sanitized.h"

namespace bolide::app {
namespace {

using ::testing::HasSubstr;

TEST(LogitsPair, HandsOverBothRowsOfEveryPosition) {
  const auto a1 = test::open_nano({.prefill_chunk = 3});
  const auto plain = test::open_nano({.arithmetic = engine::ArithmeticKind::kPlain, .prefill_chunk = 50});
  // More rows than the channel between the two holds.
  std::vector<u32> ids = test::golden_prompt("tool_call");
  ids.resize(test::kSanitized ? 20 : 300);
  std::vector<std::vector<float>> expected;
  ASSERT_TRUE(a1->evaluate(ids, 0, [&](u64, std::span<const float> row) {
                  expected.emplace_back(row.begin(), row.end());
                  return true;
                }).ok());
  u64 next = 0;
  u64 equal = 0, different = 0;
  const auto compare = [&](u64 position, std::span<const float> first, std::span<const float> second) {
    EXPECT_EQ(position, next++);
    equal += std::ranges::equal(first, expected[position]) ? 1 : 0;
    different += std::ranges::equal(first, second) ? 0 : 1;
  };
  ASSERT_TRUE(evaluate_pair(*a1, *plain, ids, compare).ok());
  EXPECT_EQ(next, ids.size());
  EXPECT_EQ(equal, ids.size());
  EXPECT_EQ(different, ids.size());
}

TEST(LogitsPair, AFailureOfEitherEndsBoth) {
  const auto roomy = test::open_nano();
  const auto narrow = test::open_nano({.context = 2});
  const std::vector<u32> ids = test::golden_prompt("short");
  const auto ignore = [](u64, std::span<const float>, std::span<const float>) {};
  for (const auto& [first, second] : {std::pair(roomy.get(), narrow.get()), std::pair(narrow.get(), roomy.get())}) {
    const Status status = evaluate_pair(*first, *second, ids, ignore);
    ASSERT_FALSE(status.ok());
    EXPECT_THAT(status.error().message, HasSubstr("has 6 tokens, but the context has room for 2"));
  }
}

}  // namespace
}  // namespace bolide::app
