// Ranks order as scores do, and selection among them is that of the oracle.
#include "backends/cpu/index_ranks.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "arith/bf16.h"
#include "model/selection.h"

namespace bolide::backends::cpu {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// `values` different scores, so that few make many ties; both zeros among them.
std::vector<float> random_scores(std::size_t n, u32 values, std::mt19937& random) {
  std::vector<float> scores(n);
  for (float& score : scores) {
    const float size = static_cast<float>(random() % values) / 16.0f;
    score = arith::bf16(random() % 2 == 0 ? size : -size);
  }
  return scores;
}

std::vector<u16> ranks_of(std::span<const float> scores) {
  std::vector<u16> ranks;
  for (const float score : scores) ranks.push_back(score == -kInfinity ? kNoRank : rank_of(arith::bf16_code(score)));
  return ranks;
}

TEST(IndexRanks, OrderAsTheScoresDo) {
  for (u32 code = 1; code < 0x10000; ++code) {
    const float score = arith::bf16_value(static_cast<u16>(code));
    const float before = arith::bf16_value(static_cast<u16>(code - 1));
    if (!dialect::is_finite(score) || !dialect::is_finite(before)) continue;
    const u16 rank = rank_of(static_cast<u16>(code));
    const u16 rank_before = rank_of(static_cast<u16>(code - 1));
    ASSERT_EQ(score < before, rank < rank_before) << code;
    ASSERT_EQ(score == before, rank == rank_before) << code;
    ASSERT_TRUE(rank >= 0x80 && rank <= 0xff7f) << code;
  }
  EXPECT_EQ(rank_of(0x8000), rank_of(0));
}

TEST(IndexRanks, AFaultIsSeen) {
  std::vector<u16> ranks = {kNoRank, 0x8000, 0xff7f};
  EXPECT_FALSE(has_fault(ranks));
  ranks.insert(ranks.begin(), kFaultRank);
  EXPECT_TRUE(has_fault(ranks));
}

TEST(IndexRanks, TheBestAreThoseOfTheOracleAndTiesGoToTheLowerRow) {
  std::mt19937 random(31);
  std::vector<u32> selected;
  for (const std::size_t n : {0, 1, 63, 64, 65, 1000, 5003}) {
    for (const u32 values : {1u, 3u, 40u, 5000u}) {
      std::vector<float> scores = random_scores(n, values, random);
      if (n == 1000) model::keep_blocks(scores, std::vector<u32>{0, 7, 124}, 8);  // fewer are left than are wanted
      for (const u32 k : {1u, 64u, 512u}) {
        select_best(ranks_of(scores), k, selected);
        ASSERT_EQ(selected, model::top_k(scores, k)) << n << " scores of " << values << " values, k " << k;
      }
    }
  }
}

TEST(IndexRanks, CandidateBlocksAreThoseOfTheOracle) {
  std::mt19937 random(32);
  std::vector<u16> block_ranks;
  std::vector<u32> blocks;
  for (const std::size_t n : {1, 8, 9, 1000, 3001}) {
    for (const u32 values : {1u, 40u, 5000u}) {
      const std::vector<float> scores = random_scores(n, values, random);
      for (const u32 n_blocks : {1u, 16u, 2048u}) {
        select_blocks(ranks_of(scores), 8, n_blocks, block_ranks, blocks);
        ASSERT_EQ(blocks, model::candidate_blocks(scores, 8, n_blocks)) << n << " scores";
      }
    }
  }
}

TEST(IndexRanks, SelectionAmongBlocksGivesTheRowsOfSelectionAmongAll) {
  std::mt19937 random(33);
  std::vector<float> scores = random_scores(801, 30, random);
  const std::vector<u32> blocks = {2, 3, 50, 99, 100};
  std::vector<u16> ranks;
  for (const u32 block : blocks) {
    for (u32 row = block * 8; row < block * 8 + 8; ++row) {
      ranks.push_back(row < scores.size() ? rank_of(arith::bf16_code(scores[row])) : kNoRank);
    }
  }
  std::vector<u32> selected;
  select_best(ranks, 17, selected);
  rows_of_blocks(blocks, 8, selected);
  model::keep_blocks(scores, blocks, 8);
  EXPECT_EQ(selected, model::top_k(scores, 17));
}

}  // namespace
}  // namespace bolide::backends::cpu
