#include "text/bpe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace bolide::text {
namespace {

using testing::ElementsAre;

// A small encoding: every byte is the token of its number; merges make the ids from 256 on.
struct Encoding {
  std::array<u32, 256> byte_ids;
  std::vector<std::string> tokens;
  std::vector<Merge> merges;

  Encoding() {
    for (u32 byte = 0; byte < 256; ++byte) {
      byte_ids[byte] = byte;
      tokens.emplace_back(1, static_cast<char>(byte));
    }
  }
  u32 add(u32 left, u32 right) {
    const u32 id = static_cast<u32>(tokens.size());
    merges.push_back({left, right, id});
    tokens.push_back(tokens[left] + tokens[right]);
    return id;
  }
  Bpe build() const {
    PairTable pairs(merges.size());
    for (const Merge& merge : merges) EXPECT_TRUE(pairs.add(merge));
    return {byte_ids, std::move(pairs), tokens};
  }
  std::vector<u32> merged(std::string_view piece) const {
    Bpe::Scratch scratch;
    std::vector<u32> ids;
    build().merge(piece, scratch, ids);
    return ids;
  }
};

// The definition, word for word.
std::vector<u32> merged_by_definition(const Encoding& encoding, std::string_view piece) {
  std::vector<u32> ids;
  for (const char c : piece) ids.push_back(static_cast<u8>(c));
  for (;;) {
    std::pair<std::size_t, std::size_t> best = {encoding.merges.size(), 0};  // rank, position
    for (std::size_t at = 0; at + 1 < ids.size(); ++at) {
      for (std::size_t rank = 0; rank < best.first; ++rank) {
        const Merge& merge = encoding.merges[rank];
        if (merge.left == ids[at] && merge.right == ids[at + 1]) best = {rank, at};
      }
    }
    if (best.first == encoding.merges.size()) return ids;
    const auto at = ids.begin() + static_cast<std::ptrdiff_t>(best.second);
    *at = encoding.merges[best.first].result;
    ids.erase(at + 1);
  }
}

TEST(Bpe, LowestRankIsMergedFirst) {
  Encoding encoding;
  const u32 bc = encoding.add('b', 'c');
  encoding.add('a', 'b');
  EXPECT_THAT(encoding.merged("abc"), ElementsAre('a', bc));
}

TEST(Bpe, LeftmostIsMergedFirstAmongEqualRanks) {
  Encoding encoding;
  const u32 aa = encoding.add('a', 'a');
  EXPECT_THAT(encoding.merged("aaa"), ElementsAre(aa, 'a'));
  EXPECT_THAT(encoding.merged("aaaaa"), ElementsAre(aa, aa, 'a'));
}

// A token whose own bytes merge to something else must not be taken by looking up the whole piece.
TEST(Bpe, ATokenThatItsBytesDoNotMergeToIsNotFoundByTheWholePiece) {
  Encoding encoding;
  const u32 bc = encoding.add('b', 'c');
  const u32 ab = encoding.add('a', 'b');
  encoding.add(ab, 'c');  // "abc", which merging never reaches: "bc" comes first
  EXPECT_THAT(encoding.merged("abc"), ElementsAre('a', bc));
}

TEST(Bpe, RandomEncodingsAgreeWithTheDefinition) {
  std::mt19937 random(7);
  auto below = [&](std::size_t n) { return static_cast<u32>(random() % n); };
  for (int round = 0; round < 200; ++round) {
    Encoding encoding;
    std::vector<u32> symbols = {'a', 'b', 'c'};
    std::map<std::pair<u32, u32>, bool> known;
    for (u32 n = below(30); n > 0; --n) {
      const u32 left = symbols[below(symbols.size())];
      const u32 right = symbols[below(symbols.size())];
      if (known[{left, right}] || encoding.tokens[left].size() > 8) continue;
      known[{left, right}] = true;
      symbols.push_back(encoding.add(left, right));
    }
    for (int n = 0; n < 20; ++n) {
      std::string piece;
      for (u32 length = 1 + below(40); length > 0; --length) piece += static_cast<char>('a' + below(3));
      ASSERT_EQ(encoding.merged(piece), merged_by_definition(encoding, piece)) << piece;
    }
  }
}

TEST(Bpe, AMillionEqualBytesAreMergedInReasonableTime) {  // a quadratic algorithm would take hours
  Encoding encoding;
  u32 doubled = encoding.add('a', 'a');
  for (int i = 0; i < 7; ++i) doubled = encoding.add(doubled, doubled);
  EXPECT_EQ(encoding.merged(std::string(1 << 20, 'a')), std::vector<u32>((1 << 20) / 256, doubled));
}

TEST(PairTable, APairIsTakenOnce) {
  PairTable pairs(2);
  EXPECT_TRUE(pairs.add({1, 2, 3}));
  EXPECT_FALSE(pairs.add({1, 2, 4}));
  EXPECT_EQ(pairs.rank(1, 2), 0U);
  EXPECT_EQ(pairs.rank(2, 1), PairTable::kNoRank);
  EXPECT_EQ(pairs.result(0), 3U);
}

TEST(PairTable, HoldsTheLargestIds) {
  PairTable pairs(1);
  EXPECT_TRUE(pairs.add({kMaxTokens - 1, kMaxTokens - 1, 5}));
  EXPECT_EQ(pairs.rank(kMaxTokens - 1, kMaxTokens - 1), 0U);
  EXPECT_EQ(pairs.rank(kMaxTokens - 1, kMaxTokens - 2), PairTable::kNoRank);
}

TEST(WordTable, FindsWordsOfEveryLengthAndNothingElse) {
  WordTable words(64);
  std::string word;
  for (u32 length = 1; length <= 64; ++length) {
    word += static_cast<char>('a' + length % 26);
    words.add(word, length);
  }
  for (u32 length = 1; length <= 64; ++length) {
    EXPECT_EQ(words.find(word.substr(0, length)), length);
    EXPECT_EQ(words.find(word.substr(0, length - 1) + "!"), std::nullopt);
  }
}

}  // namespace
}  // namespace bolide::text
