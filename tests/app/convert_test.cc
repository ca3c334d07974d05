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
using ::testing::Not;

TEST(Convert, ThePackedFileComputesTheGoldenBits) {
  const TempFolder folder;
  const std::string packed = folder.file("nano.bolide");
  const ProgramResult result = run_program({"convert", kNanoFolder, packed});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(folder.has("nano.engram"));
  const std::string ids = kNanoGoldens + "short.json";
  const ProgramResult hash = run_program({"hash", "--model", packed, "--ids", ids, "--at", "1,2,3,6", "--streams"});
  EXPECT_EQ(hash.out, read_whole_file(kNanoGoldens + "a1-short.json"));
  // A folder stands for the packed file in it.
  EXPECT_EQ(run_program({"hash", "--model", folder.path(), "--ids", ids, "--at", "1,2,3,6", "--streams"}).out,
            hash.out);
}

TEST(Convert, TheClosingTableSaysWhatBecameOfEachClass) {
  const TempFolder folder;
  const ProgramResult result = run_program({"convert", kNanoFolder, folder.file("nano.bolide"), "--no-draft"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, IsEmpty());  // a progress bar is for terminals
  EXPECT_THAT(result.out, ContainsRegex("attention projections +FP8 +Q8_0 +40 "));
  EXPECT_THAT(result.out, ContainsRegex("routed experts +FP4 +MXFP4 +384 +6,684,672 +6,684,672"));
  EXPECT_THAT(result.out, ContainsRegex("output head +BF16 +Q8_0 +1 +4,194,304 +2,228,224"));
  EXPECT_THAT(result.out, ContainsRegex("Left out: [0-9]+ tensors of the drafter"));
  EXPECT_THAT(result.out, HasSubstr("Wrote " + folder.file("nano.bolide")));
}

TEST(Convert, FailuresNameTheFileAndLeaveNothing) {
  const TempFolder folder;
  const ProgramResult nothing = run_program({"convert", folder.path(), folder.file("out.bolide")});
  EXPECT_EQ(nothing.exit_code, 1);
  EXPECT_THAT(nothing.err, HasSubstr("config.json"));
  EXPECT_FALSE(folder.has("out.bolide"));
  const ProgramResult nowhere = run_program({"convert", kNanoFolder, "/no/such/folder/out.bolide"});
  EXPECT_EQ(nowhere.exit_code, 1);
  EXPECT_THAT(nowhere.err, HasSubstr("/no/such/folder/out"));
}

// REF and plain need the checkpoint's own weights.
TEST(Convert, APackedFileRefusesOtherArithmetics) {
  const TempFolder folder;
  const std::string packed = folder.file("nano.bolide");
  ASSERT_EQ(run_program({"convert", kNanoFolder, packed}).exit_code, 0);
  const ProgramResult result =
      run_program({"hash", "--model", packed, "--ids", kNanoGoldens + "short.json", "--arithmetic", "ref"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("official checkpoint"));
}

}  // namespace
}  // namespace bolide::test
