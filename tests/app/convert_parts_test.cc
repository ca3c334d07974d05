// Models in several files: the drafter alone, Engram rows that stay where they are, and what the program says where
// parts are missing or damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/nano.h"
#include "support/program.h"
#include "support/temp_folder.h"

namespace bolide::test {
namespace {

using ::testing::HasSubstr;

const std::string kIds = kNanoGoldens + "short.json";

std::string hashes(const std::string& model, const std::string& draft = "") {
  std::vector<std::string> arguments = {"hash", "--model", model, "--ids", kIds, "--at", "1,2,3,6", "--streams"};
  if (!draft.empty()) arguments.insert(arguments.end(), {"--draft-model", draft});
  const ProgramResult result = run_program(arguments);
  return result.exit_code == 0 ? result.out : result.err;
}

std::string golden() {
  return read_whole_file(kNanoGoldens + "a1-short.json");
}

// The shards with nano's drafter, which lies in the second and third one, and config.json: nothing else.
class DraftShards : public testing::Test {
 protected:
  DraftShards() {
    for (const char* name : {"config.json", "model.safetensors.index.json", "model-00002-of-00003.safetensors",
                             "model-00003-of-00003.safetensors"}) {
      std::filesystem::copy_file(kNanoFolder + "/" + name, shards_.file(name));
    }
  }
  const TempFolder shards_;
  const TempFolder folder_;
};

TEST_F(DraftShards, BecomeADrafterBesideAnyTargetFile) {
  const std::string packed = folder_.file("trunk.bolide"), gguf = folder_.file("trunk.gguf");
  ASSERT_EQ(run_program({"convert", kNanoFolder, packed, "--no-draft"}).exit_code, 0);
  ASSERT_EQ(run_program({"convert", kNanoFolder, gguf, "--no-draft"}).exit_code, 0);
  for (const char* name : {"drafter.bolide", "drafter.gguf"}) {
    const std::string drafter = folder_.file(name);
    const ProgramResult made = run_program({"convert", shards_.path(), drafter, "--only-draft"});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    EXPECT_THAT(made.out, HasSubstr(drafter));
    for (const std::string& target : {packed, gguf, std::string(kNanoFolder)}) {
      EXPECT_EQ(hashes(target, drafter), golden()) << target << " with " << name;
    }
    EXPECT_THAT(hashes(drafter), HasSubstr("this is a drafter"));
  }
  EXPECT_THAT(hashes(packed, packed), HasSubstr("this is a model, not a drafter's file"));
  EXPECT_EQ(run_program({"inspect", folder_.file("drafter.bolide")}).exit_code, 0);
}

TEST_F(DraftShards, DoNotNeedAnIndex) {
  std::filesystem::remove(shards_.file("model.safetensors.index.json"));
  const ProgramResult made = run_program({"convert", shards_.path(), folder_.file("d.bolide"), "--only-draft"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
}

TEST_F(DraftShards, AreAskedForWhereOneIsMissing) {
  std::filesystem::remove(shards_.file("model-00002-of-00003.safetensors"));
  const ProgramResult made = run_program({"convert", shards_.path(), folder_.file("d.bolide"), "--only-draft"});
  EXPECT_EQ(made.exit_code, 1);
  EXPECT_THAT(made.err, HasSubstr("model-00002-of-00003.safetensors"));
}

TEST_F(DraftShards, OfAnotherModelAreRefused) {
  std::string config = read_whole_file(kNanoFolder + std::string("/config.json"));
  const std::string field = "\"dspark_noise_token_id\": ";
  const std::size_t at = config.find(field);
  ASSERT_NE(at, std::string::npos);
  config[at + field.size()] = config[at + field.size()] == '1' ? '2' : '1';
  shards_.write("config.json", config);
  ASSERT_EQ(run_program({"convert", shards_.path(), folder_.file("d.bolide"), "--only-draft"}).exit_code, 0);
  EXPECT_THAT(hashes(kNanoFolder, folder_.file("d.bolide")), HasSubstr("it belongs to another model"));
}

TEST(EngramFrom, LeavesTheRowsInAGgufOrARowsFile) {
  const TempFolder folder;
  const std::string gguf = folder.file("nano.gguf"), packed = folder.file("nano.bolide");
  ASSERT_EQ(run_program({"convert", kNanoFolder, gguf}).exit_code, 0);
  ASSERT_EQ(run_program({"convert", kNanoFolder, packed}).exit_code, 0);
  const TempFolder elsewhere;
  for (const std::string& rows : {gguf, folder.file("nano.engram")}) {
    const std::string linked = elsewhere.file("linked.bolide");
    const ProgramResult made = run_program({"convert", kNanoFolder, linked, "--engram-from", rows});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    EXPECT_EQ(std::filesystem::file_size(elsewhere.file("linked.engram")), 4096u);
    EXPECT_EQ(hashes(linked), golden());
    std::filesystem::rename(rows, rows + ".away");
    EXPECT_THAT(hashes(linked), AllOf(HasSubstr(rows), HasSubstr("--engram-from")));
    std::filesystem::rename(rows + ".away", rows);
    std::filesystem::resize_file(rows, std::filesystem::file_size(rows) - 1);
    EXPECT_THAT(hashes(linked), HasSubstr("is not the file with the Engram rows that it was"));
    std::filesystem::remove(linked);
    std::filesystem::remove(elsewhere.file("linked.engram"));
  }
}

TEST(MissingParts, AreNamedAndDamageIsFound) {
  const TempFolder folder;
  const std::string packed = folder.file("nano.bolide"), rows = folder.file("nano.engram");
  ASSERT_EQ(run_program({"convert", kNanoFolder, packed}).exit_code, 0);
  EXPECT_EQ(run_program({"inspect", "--verify", packed}).exit_code, 0);
  std::filesystem::rename(rows, rows + ".away");
  EXPECT_THAT(hashes(packed), HasSubstr("its Engram rows are missing: they should be beside it in " + rows));
  std::filesystem::rename(rows + ".away", rows);
  for (const std::string& file : {rows, packed}) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(-40'000, std::ios::end);
    stream.put('\x55');
    stream.close();
    const ProgramResult verified = run_program({"inspect", "--verify", packed});
    EXPECT_EQ(verified.exit_code, 1);
    EXPECT_THAT(verified.err, AllOf(HasSubstr(file), HasSubstr("does not have the hash")));
  }
}

}  // namespace
}  // namespace bolide::test
