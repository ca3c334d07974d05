#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/nano.h"
#include "support/program.h"
#include "support/temp_folder.h"

namespace bolide::test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kVectors = BOLIDE_SOURCE_DIR "/tests/goldens/a1-vectors.jsonl";
const std::string kManifest = kNanoGoldens + "a1-short.json";
const std::string kIds = kNanoGoldens + "short.json";

// Replaces the first `from` at or after `start`.
std::string replaced(std::string text, std::string_view from, std::string_view to, std::size_t start = 0) {
  const std::size_t at = text.find(from, start);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Selftest, EveryTestVectorAgrees) {
  const ProgramResult result = run_program({"selftest", "--vectors", kVectors});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("173 test vectors, every bit agrees"));
}

TEST(Selftest, AFlippedBitIsNamedByLineAndValue) {
  const std::string vectors = read_whole_file(kVectors);
  // The last digit of the first result `y` of the 60th line that has one.
  std::size_t line_start = 0, line_number = 1, seen = 0, at = 0;
  while (true) {
    const std::size_t line_end = vectors.find('\n', line_start);
    at = vectors.find("\"y\":\"", line_start);
    if (at < line_end && ++seen == 60) break;
    line_start = line_end + 1;
    ++line_number;
  }
  const std::size_t digits = at + std::string_view("\"y\":\"").size();
  std::string wanted = vectors.substr(digits, vectors.find_first_of(" \"", digits) - digits);
  const std::string found = wanted;
  wanted.back() = wanted.back() == '0' ? '1' : '0';
  const TempFolder folder;
  folder.write("vectors.jsonl", std::string(vectors).replace(digits, wanted.size(), wanted));
  const ProgramResult result = run_program({"selftest", "--vectors", folder.file("vectors.jsonl")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, AllOf(HasSubstr("vectors.jsonl line " + std::to_string(line_number) + ","),
                                HasSubstr("y[0] is " + found + ", expected " + wanted)));
}

TEST(Selftest, AFileWithoutVectorsIsNoSuccess) {
  const TempFolder folder;
  folder.write("empty.jsonl", "\n\n");
  const ProgramResult result = run_program({"selftest", "--vectors", folder.file("empty.jsonl")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("no test vector"));
}

TEST(Selftest, AModelIsTestedInChunksAndAgainstAManifest) {
  const ProgramResult result =
      run_program({"selftest", "--model", kNanoFolder, "--ids", kIds, "--manifest", kManifest});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("4 fingerprints, every bit agrees"));
  EXPECT_THAT(result.out, HasSubstr("6 tokens at once, in chunks of 7 and one by one give the same bits"));
  EXPECT_THAT(result.out, ContainsRegex("\n  routed experts w2 +[0-9,]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ %\n"));
  EXPECT_THAT(result.out, ContainsRegex("\n  drafter main_proj +[0-9,]+ "));
}

TEST(Selftest, ADifferenceFromTheManifestIsNamed) {
  const TempFolder folder;
  const auto selftest = [&](const std::string& manifest) {
    folder.write("manifest.json", manifest);
    const ProgramResult result =
        run_program({"selftest", "--model", kNanoFolder, "--ids", kIds, "--manifest", folder.file("manifest.json")});
    EXPECT_EQ(result.exit_code, 1);
    return result.err;
  };
  const std::string golden = read_whole_file(kManifest);
  const std::size_t third = golden.find("\"tokens\":3");
  EXPECT_THAT(selftest(replaced(golden, "\"argmax\":", "\"argmax\":9", third)),
              HasSubstr("manifest.json, after 3 tokens: argmax is"));
  EXPECT_THAT(selftest(replaced(golden, "\"mixture3\":\"", "\"mixture3\":\"x", third)),
              HasSubstr("manifest.json, after 3 tokens, streams: mixture3 is"));
  EXPECT_THAT(selftest(replaced(golden, "\"mixture3\":", "\"mixture99\":", third)),
              HasSubstr("there is no mixture99 to compare"));
  EXPECT_THAT(selftest("[{\"tokens\": 7}]"), HasSubstr("after 7 tokens, but there are only 6"));
  EXPECT_THAT(selftest("[{\"tokens\": 2}, {\"tokens\": 1}]"), HasSubstr("entry 1"));
  EXPECT_THAT(selftest("{}"), HasSubstr("a JSON list of fingerprints is wanted"));
}

}  // namespace
}  // namespace bolide::test
