#include "engram/constants.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/mapped_file.h"

namespace bolide::engram {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

EngramShape small_shape() {
  return {.vocab_size = 3,
          .compressed_vocab_size = 2,
          .pad_id = 2,
          .max_ngram = 3,
          .n_heads = 2,
          .head_dim = 32,
          .layer_ids = {1},
          .rows = {28}};
}

// An engram.json for small_shape() with one field's text replaced.
std::string document(std::string_view field = "", std::string_view text = "") {
  const auto value = [&](std::string_view name, std::string_view good) { return field == name ? text : good; };
  return fmt::format(R"({{"compressed_vocab_size":{},"pad_id":{},"compressed_pad_id":{},"rows":{},"primes":{},)"
                     R"("multipliers":{},"token_map":{}}})",
                     value("compressed_vocab_size", "2"), value("pad_id", "2"), value("compressed_pad_id", "0"),
                     value("rows", "[28]"), value("primes", "[[[3,5],[7,13]]]"),
                     value("multipliers", R"([["1","18446744073709551615","5"]])"), value("token_map", "[1,1,0]"));
}

std::string refusal(std::string_view field, std::string_view text) {
  const Result<EngramConstants> constants = parse_engram_constants(document(field, text), "engram.json", small_shape());
  return constants ? "accepted" : constants.error().message;
}

TEST(EngramConstants, AreReadInTheOrderOfTheColumns) {
  const Result<EngramConstants> constants = parse_engram_constants(document(), "engram.json", small_shape());
  ASSERT_TRUE(constants) << constants.error().message;
  EXPECT_THAT(constants->token_map, ElementsAre(1, 1, 0));
  EXPECT_EQ(constants->compressed_pad_id, 0);
  ASSERT_EQ(constants->tables.size(), 1);
  EXPECT_THAT(constants->tables[0].primes, ElementsAre(3, 5, 7, 13));
  EXPECT_THAT(constants->tables[0].first_rows, ElementsAre(0, 3, 8, 15));
  EXPECT_THAT(constants->tables[0].multipliers, ElementsAre(1, 18446744073709551615ULL, 5));
}

TEST(EngramConstants, WrongFieldsAreRefusedByName) {
  EXPECT_THAT(refusal("compressed_vocab_size", "3"), HasSubstr("compressed_vocab_size is 3"));
  EXPECT_THAT(refusal("pad_id", "-1"), HasSubstr("pad_id must be a whole number"));
  EXPECT_THAT(refusal("compressed_pad_id", "1"), HasSubstr("compressed_pad_id is 1"));
  EXPECT_THAT(refusal("rows", "[29]"), HasSubstr("rows of layer 1 must be 28"));
  EXPECT_THAT(refusal("rows", "{}"), HasSubstr("rows must be an array of 1"));
  EXPECT_THAT(refusal("token_map", "[1,1]"), HasSubstr("token_map has 2 elements instead of 3"));
  EXPECT_THAT(refusal("token_map", "[1,2,0]"), HasSubstr("token_map of token 1 must be a whole number below 2"));
  EXPECT_THAT(refusal("token_map", "[1,0.5,0]"), HasSubstr("token_map of token 1"));
  EXPECT_THAT(refusal("primes", "[[[3,5],[7,0]]]"), HasSubstr("primes must be whole numbers above 0"));
  EXPECT_THAT(refusal("primes", "[[[3,5],[7,12]]]"), HasSubstr("primes have the sum 27"));
  EXPECT_THAT(refusal("primes", "[[[3,18446744073709551615],[7,13]]]"), HasSubstr("primes have a sum above the 28"));
  EXPECT_THAT(refusal("primes", "[[[3,5]]]"), HasSubstr("primes has 1 elements instead of 2"));
  EXPECT_THAT(refusal("multipliers", "[[1,2,3]]"), HasSubstr("multipliers must be decimal numbers in quotes"));
  EXPECT_THAT(refusal("multipliers", R"([["1","2","18446744073709551616"]])"), HasSubstr("from 1 to 2^64 - 1"));
  EXPECT_THAT(refusal("multipliers", R"([["1","2","3 "]])"), HasSubstr("multipliers"));
  EXPECT_THAT(refusal("multipliers", R"([["1","2","0"]])"), HasSubstr("multipliers"));
}

TEST(EngramConstants, BrokenDocumentsAreRefusedByFile) {
  for (const std::string_view text : {"", "[]", "{}", "{\"token_map\":", "[[[[[[[[[[[["}) {
    const Result<EngramConstants> constants = parse_engram_constants(text, "engram.json", small_shape());
    ASSERT_FALSE(constants) << text;
    EXPECT_THAT(constants.error().message, HasSubstr("engram.json: ")) << text;
  }
}

TEST(EngramConstants, OfTheNanoModelFitItsShape) {
  const std::string path = BOLIDE_SOURCE_DIR "/models/nano/engram.json";
  const Result<std::string> text = read_text_file(path, 1 << 20);
  ASSERT_TRUE(text);
  const Result<EngramConstants> constants = parse_engram_constants(*text, path,
                                                                   {.vocab_size = 8192,
                                                                    .compressed_vocab_size = 5615,
                                                                    .pad_id = 2,
                                                                    .max_ngram = 4,
                                                                    .n_heads = 4,
                                                                    .head_dim = 64,
                                                                    .layer_ids = {1, 3},
                                                                    .rows = {24562, 25586}});
  ASSERT_TRUE(constants) << constants.error().message;
  EXPECT_EQ(constants->tables[1].primes[11], 2179);
  EXPECT_EQ(constants->tables[1].multipliers[0], 485788621661507);
}

}  // namespace
}  // namespace bolide::engram
