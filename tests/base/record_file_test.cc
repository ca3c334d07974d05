#include "base/record_file.h"

#include <gmock/gmock.h>

#include "base/mapped_file.h"
#include "support/temp_folder.h"

namespace bolide {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

void write_records(const std::string& path, const std::vector<std::string>& records) {
  Result<RecordFile> file = RecordFile::open(path);
  ASSERT_TRUE(file.ok()) << file.error().message;
  for (const std::string& record : records) ASSERT_TRUE(file->append(record).ok());
  ASSERT_TRUE(file->sync().ok());
}

TEST(RecordFile, KeepsRecordsInOrder) {
  const test::TempFolder folder;
  write_records(folder.file("j"), {"one", "", std::string(100'000, 'x')});
  write_records(folder.file("j"), {"two"});
  EXPECT_THAT(*read_records(folder.file("j")), ElementsAre("one", "", std::string(100'000, 'x'), "two"));
  EXPECT_THAT(*read_records(folder.file("none")), IsEmpty());
}

// Wherever the machine stopped: the whole records before it stay, and new ones go behind them.
TEST(RecordFile, CutsOffATornEnd) {
  const test::TempFolder folder;
  write_records(folder.file("whole"), {"first", "second"});
  const std::string whole = *read_text_file(folder.file("whole"), 1000);
  const std::size_t first_end = 8 + 4 + 5 + 32;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    folder.write("j", whole.substr(0, size));
    write_records(folder.file("j"), {"new"});
    const auto records = read_records(folder.file("j"));
    ASSERT_TRUE(records.ok());
    if (size < first_end) {
      EXPECT_THAT(*records, ElementsAre("new")) << size;
    } else {
      EXPECT_THAT(*records, ElementsAre("first", "new")) << size;
    }
  }
}

TEST(RecordFile, ARecordWithAnotherByteEndsTheFile) {
  const test::TempFolder folder;
  write_records(folder.file("j"), {"first", "second"});
  std::string text = *read_text_file(folder.file("j"), 1000);
  text[text.find("second")] = 'S';
  folder.write("j", text);
  EXPECT_THAT(*read_records(folder.file("j")), ElementsAre("first"));
}

TEST(RecordFile, RefusesAnotherKindOfFileAndASecondUser) {
  const test::TempFolder folder;
  folder.write("other", "something that somebody needs");
  const auto other = RecordFile::open(folder.file("other"));
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(other.error().message, HasSubstr("is no journal"));
  EXPECT_EQ(*read_text_file(folder.file("other"), 100), "something that somebody needs");
  const auto first = RecordFile::open(folder.file("j"));
  const auto second = RecordFile::open(folder.file("j"));
  ASSERT_TRUE(first.ok());
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message, HasSubstr("another process"));
}

}  // namespace
}  // namespace bolide
