// Every kernel of index_score gives the scores of the oracle, over all rows and over candidate blocks.
#include "backends/cpu/index_score.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>

#include "arith/bf16.h"
#include "base/flush_mode.h"
#include "model/index_score.h"

namespace bolide::backends::cpu {
namespace {

using model::kIndexHeadDim;

std::vector<float> bf16_values(std::size_t n, std::mt19937& random) {
  std::normal_distribution<float> normal;
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    // Of each 32 some all zeros, some large or small.
    const u32 kind = static_cast<u32>(i / 32 * 2654435761u >> 28);
    const float size = kind == 0 ? 0.0f : kind == 1 ? 0x1p36f : kind == 2 ? 0x1p-36f : 1.0f;
    values[i] = arith::bf16(normal(random) * size);
  }
  return values;
}

// Keys in both forms.
struct Keys {
  static constexpr u32 kPageRows = 64;
  std::vector<std::byte> rows;
  std::vector<std::vector<std::byte>> codes;
  std::vector<std::vector<std::byte>> scales;
  std::vector<model::IndexPage> pages;
};

Keys keys_of(std::vector<std::byte> rows) {
  Keys keys;
  keys.rows = std::move(rows);
  const u32 n = static_cast<u32>(keys.rows.size() / model::kIndexRowBytes);
  for (u32 i = 0; i < n; ++i) {
    if (i % Keys::kPageRows == 0) {
      keys.codes.emplace_back(model::index_code_bytes(Keys::kPageRows));
      // What lies behind the newest row is anything.
      keys.scales.emplace_back(model::index_scale_bytes(Keys::kPageRows), std::byte{255});
    }
    const std::span<const std::byte, model::kIndexRowBytes> row(&keys.rows[u64{i} * model::kIndexRowBytes],
                                                                model::kIndexRowBytes);
    model::store_index_row(row, i % Keys::kPageRows, keys.codes.back(), keys.scales.back());
  }
  for (std::size_t page = 0; page < keys.codes.size(); ++page) {
    keys.pages.push_back({keys.codes[page].data(), keys.scales[page].data()});
  }
  return keys;
}

Keys random_keys(u32 n, std::mt19937& random) {
  std::vector<std::byte> rows(u64{n} * model::kIndexRowBytes);
  for (u32 i = 0; i < n; ++i) {
    const std::vector<float> key = bf16_values(kIndexHeadDim, random);
    model::encode_index_row(
        std::span<const float, kIndexHeadDim>(key),
        std::span<std::byte, model::kIndexRowBytes>(&rows[u64{i} * model::kIndexRowBytes], model::kIndexRowBytes));
  }
  return keys_of(std::move(rows));
}

u16 expected_rank(float score) {
  return dialect::is_finite(score) ? rank_of(arith::bf16_code(score)) : kFaultRank;
}

std::vector<u16> oracle_ranks(const std::vector<float>& q, const std::vector<float>& weights, const Keys& keys) {
  std::vector<u16> ranks;
  for (const float score : model::IndexQuery(q, weights).scores(keys.rows)) ranks.push_back(expected_rank(score));
  return ranks;
}

std::vector<u16> kernel_ranks(InstructionSet set, const IndexQuery& query, const Keys& keys) {
  const u32 n = static_cast<u32>(keys.rows.size() / model::kIndexRowBytes);
  std::vector<u16> ranks(n);
  const u32 middle = n / 64 * 32;
  index_score(set).rows(query, {keys.pages, Keys::kPageRows}, {0, middle}, ranks.data());
  index_score(set).rows(query, {keys.pages, Keys::kPageRows}, {middle, n}, ranks.data() + middle);
  return ranks;
}

class IndexScoreTest : public testing::TestWithParam<InstructionSet> {};

TEST_P(IndexScoreTest, EveryNumberOfHeadsGivesTheBitsOfTheOracle) {
  std::mt19937 random(41);
  const Keys keys = random_keys(203, random);
  IndexQuery query;
  for (const u32 heads : {1u, 8u, 12u, 32u, 130u}) {
    const std::vector<float> q = bf16_values(u64{heads} * kIndexHeadDim, random);
    const std::vector<float> weights = bf16_values(heads, random);
    query.quantize(q, weights);
    const std::vector<u16> expected = oracle_ranks(q, weights, keys);
    ASSERT_EQ(kernel_ranks(GetParam(), query, keys), expected) << heads << " heads";
    const FlushMode flush(true);
    ASSERT_EQ(kernel_ranks(GetParam(), query, keys), expected) << heads << " heads, flushing";
  }
}

TEST_P(IndexScoreTest, KeysOfAnyBytesAndWeightsThatAreNotFiniteGiveTheBitsOfTheOracle) {
  std::mt19937 random(42);
  std::vector<std::byte> bytes(u64{70} * model::kIndexRowBytes);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  const Keys keys = keys_of(std::move(bytes));
  const std::vector<float> q = bf16_values(u64{8} * kIndexHeadDim, random);
  for (const float weight : {1.0f, HUGE_VALF, std::numeric_limits<float>::quiet_NaN()}) {
    std::vector<float> weights = bf16_values(8, random);
    weights[3] = weight;
    IndexQuery query;
    query.quantize(q, weights);
    EXPECT_EQ(kernel_ranks(GetParam(), query, keys), oracle_ranks(q, weights, keys)) << weight;
  }
}

TEST_P(IndexScoreTest, ScoresThatAreAllZeroAreOneRank) {
  std::mt19937 random(43);
  const Keys keys = random_keys(40, random);
  IndexQuery query;
  query.quantize(std::vector<float>(u64{8} * kIndexHeadDim, -0.0f), std::vector<float>(8, -1.0f));
  EXPECT_EQ(kernel_ranks(GetParam(), query, keys), std::vector<u16>(40, rank_of(0)));
}

TEST_P(IndexScoreTest, BlocksHaveTheRanksOfTheirRows) {
  std::mt19937 random(44);
  constexpr u32 kVisible = 197;
  const Keys keys = random_keys(203, random);
  IndexQuery query;
  query.quantize(bf16_values(u64{8} * kIndexHeadDim, random), bf16_values(8, random));
  const std::vector<u16> all = kernel_ranks(GetParam(), query, keys);
  for (const u32 block_size : {1u, 5u, 8u, 24u}) {
    std::vector<u32> blocks;
    const u32 last = (kVisible - 1) / block_size;
    for (u32 block = 0; block <= last; ++block) {
      if (block == last || random() % 3 == 0) blocks.push_back(block);
    }
    std::vector<u16> expected;
    for (const u32 block : blocks) {
      for (u32 row = block * block_size; row < (block + 1) * block_size; ++row) {
        expected.push_back(row < kVisible ? all[row] : kNoRank);
      }
    }
    std::vector<u16> ranks(expected.size());
    index_score(GetParam()).blocks(query, {keys.pages, Keys::kPageRows}, blocks, block_size, kVisible, ranks.data());
    ASSERT_EQ(ranks, expected) << "blocks of " << block_size;
  }
}

std::string test_name(const testing::TestParamInfo<InstructionSet>& info) {
  return std::string(name(info.param));
}

INSTANTIATE_TEST_SUITE_P(Sets, IndexScoreTest, testing::ValuesIn(present_instruction_sets()), test_name);

}  // namespace
}  // namespace bolide::backends::cpu
