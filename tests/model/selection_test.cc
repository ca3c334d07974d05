#include "model/selection.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace bolide::model {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr float kOut = -std::numeric_limits<float>::infinity();

TEST(TopK, TiesGoToTheLowerRowAndRowsComeAscending) {
  EXPECT_THAT(top_k(std::vector<float>{1, 2, 2, 2, 0}, 2), ElementsAre(1, 2));
  EXPECT_THAT(top_k(std::vector<float>{5, 1, 7, 5}, 2), ElementsAre(0, 2));
}

TEST(TopK, MinusZeroEqualsZeroAndMinusInfinityIsNeverSelected) {
  EXPECT_THAT(top_k(std::vector<float>{-0.0f, 0.0f, -0.0f}, 2), ElementsAre(0, 1));
  EXPECT_THAT(top_k(std::vector<float>{kOut, 3, kOut}, 3), ElementsAre(1));
  EXPECT_THAT(top_k({}, 3), IsEmpty());
}

TEST(TopK, EqualsASortOfAllRowsOnRandomScoresWithManyTies) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<float> scores(random() % 300);
    for (float& score : scores) score = static_cast<float>(static_cast<int>(random() % 20)) - 10.0f;
    std::vector<u32> order(scores.size());
    for (u32 i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return scores[a] > scores[b]; });
    const u32 k = random() % 100;
    order.resize(std::min<std::size_t>(k, order.size()));
    std::sort(order.begin(), order.end());
    EXPECT_EQ(top_k(scores, k), order);
  }
}

TEST(CandidateBlocks, KeepTheBestBlocksAndAlwaysTheNewest) {
  // Blocks of 2: maxima 9, 3, 5, and the newest (one row) with the lowest score.
  const std::vector<float> scores = {9, 0, 3, 1, 5, 4, -7};
  EXPECT_THAT(candidate_blocks(scores, 2, 2), ElementsAre(0, 3));
  EXPECT_THAT(candidate_blocks(scores, 2, 3), ElementsAre(0, 2, 3));
  EXPECT_THAT(candidate_blocks(scores, 2, 99), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(candidate_blocks({}, 2, 2), IsEmpty());
}

TEST(CandidateBlocks, RowsOutsideAreMaskedAndRowsInsideKeepTheirScores) {
  std::vector<float> scores = {9, 0, 3, 1, 5, 4, -7};
  keep_blocks(scores, std::vector<u32>{0, 3}, 2);
  EXPECT_THAT(scores, ElementsAre(9, 0, kOut, kOut, kOut, kOut, -7));
}

TEST(Argmax, TakesTheLowestOfEquals) {
  EXPECT_EQ(argmax(std::vector<float>{1, 4, 4, 2}), 1u);
}

}  // namespace
}  // namespace bolide::model
