#include "base/partial_file.h"

#include <array>
#include <csignal>
#include <gmock/gmock.h>
#include <sys/resource.h>

#include "base/mapped_file.h"
#include "support/temp_folder.h"

namespace bolide {
namespace {

using ::testing::HasSubstr;

TEST(PartialFile, AppearsOnlyWhenCommitted) {
  const test::TempFolder folder;
  Result<PartialFile> file = PartialFile::create(folder.file("out"), 10);
  ASSERT_TRUE(file.ok()) << file.error().message;
  ASSERT_TRUE(file->write_at(5, as_bytes("world")).ok());
  ASSERT_TRUE(file->write_at(0, as_bytes("hello")).ok());
  EXPECT_FALSE(folder.has("out"));
  ASSERT_TRUE(file->commit().ok());
  EXPECT_FALSE(folder.has("out.partial"));
  EXPECT_EQ(*read_text_file(folder.file("out"), 100), "helloworld");
}

TEST(PartialFile, UnwrittenBytesAreZeroAlsoOverAnOldPartialFile) {
  const test::TempFolder folder;
  folder.write("out.partial", "old content");
  Result<PartialFile> file = PartialFile::create(folder.file("out"), 4);
  ASSERT_TRUE(file.ok() && file->commit().ok());
  EXPECT_EQ(*read_text_file(folder.file("out"), 100), std::string(4, '\0'));
}

TEST(PartialFile, LeavesNothingBehindWithoutCommit) {
  const test::TempFolder folder;
  {
    Result<PartialFile> file = PartialFile::create(folder.file("out"), 10);
    ASSERT_TRUE(file.ok());
    PartialFile moved = *std::move(file);
    EXPECT_TRUE(folder.has("out.partial"));
  }
  EXPECT_FALSE(folder.has("out.partial"));
  EXPECT_FALSE(folder.has("out"));
}

TEST(PartialFile, IsKeptAndOpenedAgainAsItIs) {
  const test::TempFolder folder;
  using Content = PartialFile::Content;
  {
    Result<PartialFile> file = PartialFile::open_resumable(folder.file("out"), 10, Content::kZeros);
    ASSERT_TRUE(file.ok() && file->write_at(0, as_bytes("hello")).ok() && file->sync().ok());
    file->keep();
  }
  EXPECT_TRUE(folder.has("out.partial"));
  EXPECT_FALSE(PartialFile::open_resumable(folder.file("out"), 11, Content::kAsItIs).ok()) << "of another size";
  Result<PartialFile> again = PartialFile::open_resumable(folder.file("out"), 10, Content::kAsItIs);
  ASSERT_TRUE(again.ok()) << again.error().message;
  std::array<std::byte, 5> there{};
  ASSERT_TRUE(again->read_at(0, there).ok());
  EXPECT_EQ(as_text(there), "hello");
  ASSERT_TRUE(again->write_at(5, as_bytes("world")).ok() && again->commit().ok());
  EXPECT_EQ(*read_text_file(folder.file("out"), 100), "helloworld");
}

// An input named as the output by mistake, a device, a link to something else: all stay as they are.
TEST(PartialFile, RefusesToWriteOverWhatIsThere) {
  const test::TempFolder folder;
  folder.write("out", "old");
  std::filesystem::create_symlink("/nowhere", folder.file("link"));
  for (const std::string& path : {folder.file("out"), folder.file("link"), std::string("/dev/null")}) {
    const Result<PartialFile> file = PartialFile::create(path, 10);
    ASSERT_FALSE(file.ok()) << path;
    EXPECT_THAT(file.error().message, testing::HasSubstr("there is such a file already"));
  }
  EXPECT_EQ(*read_text_file(folder.file("out"), 100), "old");
  EXPECT_FALSE(folder.has("out.partial"));
}

TEST(PartialFile, RefusesASecondWriterOfTheSameFile) {
  const test::TempFolder folder;
  const Result<PartialFile> first = PartialFile::create(folder.file("out"), 10);
  const Result<PartialFile> second = PartialFile::create(folder.file("out"), 10);
  ASSERT_TRUE(first.ok());
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message, HasSubstr("another process is writing"));
  EXPECT_TRUE(folder.has("out.partial"));
}

TEST(PartialFile, RefusesMoreThanTheDiskHasBeforeWriting) {
  const test::TempFolder folder;
  const Result<PartialFile> file = PartialFile::create(folder.file("out"), u64{1} << 60);
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(file.error().message, HasSubstr("needs 1152921504606846976 bytes, but only"));
  EXPECT_FALSE(folder.has("out.partial"));
}

TEST(PartialFile, RefusesAFolderAndAMissingFolder) {
  const test::TempFolder folder;
  const Result<PartialFile> over_folder = PartialFile::create(folder.path(), 1);
  ASSERT_FALSE(over_folder.ok());
  EXPECT_THAT(over_folder.error().message, HasSubstr("is a folder"));
  const Result<PartialFile> nowhere = PartialFile::create(folder.file("no/out"), 1);
  ASSERT_FALSE(nowhere.ok());
  EXPECT_THAT(nowhere.error().message, HasSubstr("No such file or directory"));
}

// The limit on file sizes stands in for a full disk: the first pwrite is cut short, the next one fails.
TEST(PartialFile, ReportsAWriteThatTheSystemCutsShort) {
  const test::TempFolder folder;
  Result<PartialFile> file = PartialFile::create(folder.file("out"), 20'000);
  ASSERT_TRUE(file.ok());
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 10'000, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status status = file->write_at(0, as_bytes(std::string(20'000, 'x')));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("out.partial: cannot write: File too large"));
}

}  // namespace
}  // namespace bolide
