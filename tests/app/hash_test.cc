#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/nano.h"
#include "support/program.h"
#include "support/temp_folder.h"

namespace bolide::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kShort = kNanoGoldens + "short.json";

ProgramResult hash(const std::vector<std::string>& more, const std::string& model = kNanoFolder) {
  std::vector<std::string> arguments = {"hash", "--model", model, "--ids", kShort};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments);
}

std::vector<std::string> keys_of(const std::string& json) {
  const Result<boost::json::value> parsed = parse_json(json, "output");
  EXPECT_TRUE(parsed.ok()) << json;
  std::vector<std::string> keys;
  for (const auto& member : parsed->as_array().at(0).as_object()) keys.emplace_back(member.key());
  return keys;
}

TEST(Hash, PrintsTheGoldenFileByteForByte) {
  const ProgramResult result = hash({"--at", "1,2,3,6", "--streams"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, read_whole_file(kNanoGoldens + "a1-short.json"));
}

TEST(Hash, StandsAfterAllTokensWhereNoLengthIsNamed) {
  const ProgramResult result = hash({});
  EXPECT_EQ(result.out, hash({"--at", "6"}).out);
  EXPECT_THAT(result.out, HasSubstr("{\"tokens\":6,"));
  EXPECT_THAT(keys_of(result.out), ElementsAre("tokens", "logits", "state", "argmax", "draft", "draft_confidence",
                                               "draft_logits", "draft_state", "taps"));
}

TEST(Hash, LengthsMayComeInAnyOrder) {
  EXPECT_EQ(hash({"--at", "6,2,2,1"}).out, hash({"--at", "1,2,6"}).out);
}

TEST(Hash, ChunksChangeNoBit) {
  const std::string whole = hash({"--streams", "--prefill-chunk", "100"}).out;
  EXPECT_EQ(hash({"--streams", "--prefill-chunk", "1"}).out, whole);
  EXPECT_EQ(hash({"--streams", "--prefill-chunk", "4"}).out, whole);
}

TEST(Hash, ArithmeticsDiffer) {
  const std::string a1 = hash({}).out;
  const std::string ref = hash({"--arithmetic", "ref"}).out;
  EXPECT_THAT(ref, HasSubstr("{\"tokens\":6,"));
  EXPECT_NE(a1, ref);
  EXPECT_NE(ref, hash({"--arithmetic", "plain"}).out);
}

TEST(Hash, ALengthBeyondTheTokensIsWrongUsage) {
  const ProgramResult result = hash({"--at", "2,7"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--at 7 is more than the 6 tokens of"));
}

TEST(Hash, WithoutADrafterThereAreNoDraftKeys) {
  const TempFolder folder;
  const std::string packed = folder.file("nano.bolide");
  ASSERT_EQ(run_program({"convert", kNanoFolder, packed, "--no-draft"}).exit_code, 0);
  const ProgramResult result = hash({}, packed);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(keys_of(result.out), ElementsAre("tokens", "logits", "state", "argmax"));
  // The trunk computes the same.
  const std::string with_drafter = hash({}).out;
  EXPECT_THAT(with_drafter, HasSubstr(result.out.substr(0, result.out.rfind('}'))));
}

}  // namespace
}  // namespace bolide::test
