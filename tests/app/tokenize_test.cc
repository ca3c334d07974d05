#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/nano.h"
#include "support/program.h"
#include "support/temp_folder.h"
#include "text/tokenizer.h"

namespace bolide::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<u32> tokenize(std::string_view text, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"tokenize", "--model", kNanoFolder};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const ProgramResult result = run_program(arguments, text);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Result<boost::json::value> list = parse_json(result.out, "output");
  EXPECT_TRUE(list.ok()) << result.out;
  return list ? ids_of(*list) : std::vector<u32>();
}

text::Tokenizer nano_tokenizer() {
  Result<text::Tokenizer> tokenizer = text::Tokenizer::from_file(kNanoFolder);
  EXPECT_TRUE(tokenizer.ok());
  return std::move(tokenizer).value();
}

TEST(Tokenize, PrintsTheIdsOfTheTextWithoutAStartToken) {
  const std::string text =
      "Good morning,\n12345 Gr\xc3\xbc\xc3\x9f"
      "e!\n";
  EXPECT_EQ(tokenize(text), nano_tokenizer().encode(text, text::AddedTokens::kMatch));
  EXPECT_THAT(tokenize(""), IsEmpty());
}

TEST(Tokenize, ControlTokensAreMatchedUnlessLiteral) {
  const u32 think = *nano_tokenizer().find_added_token("<think>");
  EXPECT_THAT(tokenize("a<think>b"), Contains(think));
  EXPECT_THAT(tokenize("a<think>b", {"--literal"}), Not(Contains(think)));
}

TEST(Tokenize, DecodeGivesTheBytesBack) {
  const std::string text("\x00\xff\xfe bytes that are not text, \xe4\xb8\xad\xe6\x96\x87\r\n", 37);
  const ProgramResult ids = run_program({"tokenize", "--model", kNanoFolder, "--literal"}, text);
  const ProgramResult back = run_program({"tokenize", "--model", kNanoFolder, "--decode"}, ids.out);
  EXPECT_EQ(back.exit_code, 0) << back.err;
  EXPECT_EQ(back.out, text);
}

TEST(Tokenize, DecodeRefusesIdsOutsideTheVocabulary) {
  const ProgramResult result = run_program({"tokenize", "--model", kNanoFolder, "--decode"}, "[5, 99999]");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasSubstr("stdin: entry 1 is 99999"));
}

TEST(Tokenize, NeedsNoWeights) {
  const TempFolder folder;
  folder.write("tokenizer.json", read_whole_file(kNanoFolder + "/tokenizer.json"));
  const ProgramResult result = run_program({"tokenize", "--model", folder.path()}, "Hi");
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

}  // namespace
}  // namespace bolide::test
