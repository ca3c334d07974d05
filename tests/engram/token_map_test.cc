#include "engram/token_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bolide::engram {
namespace {

using testing::ElementsAre;

TEST(TokenMap, TokensThatDifferInCaseMarksOrOuterSpaceAreOne) {
  const std::vector<TokenText> tokens = {{"The", "The"}, {" the", "Ġthe"}, {"thé", "thÃ©"}, {"then", "then"}};
  const TokenMap map = build_token_map(tokens);
  EXPECT_THAT(map.ids, ElementsAre(0, 0, 0, 1));
  EXPECT_EQ(map.compressed_vocab_size, 2U);
}

TEST(TokenMap, BytesThatAreNoTextKeepTheirOwnIds) {
  const std::vector<TokenText> tokens = {{"\xE4", "ä"}, {"a", "a"}, {"\xE4\xB8", "ä¸"}, {"\uFFFD", "ï¿½"}};
  EXPECT_THAT(build_token_map(tokens).ids, ElementsAre(0, 1, 2, 3));
}

TEST(TokenMap, TextThatFoldsToNothingIsItsOwnKey) {
  const std::vector<TokenText> tokens = {{"\v", "ċ"}, {"\u0301", "ÌĢ"}, {"\v", "ċ"}, {"  ", "ĠĠ"}, {"\n", "Ċ"}};
  EXPECT_THAT(build_token_map(tokens).ids, ElementsAre(0, 1, 0, 2, 2));
}

}  // namespace
}  // namespace bolide::engram
