#include "formats/safetensors_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mapped_file.h"
#include "support/temp_folder.h"

namespace bolide::formats {
namespace {

using testing::HasSubstr;

std::string refusal(const std::vector<SafetensorsSpec>& specs) {
  const test::TempFolder folder;
  const auto writer = SafetensorsWriter::create(folder.file("x.safetensors"), specs);
  return writer ? "accepted" : writer.error().message;
}

TEST(SafetensorsWriter, ReadsBackWithPiecesInAnyOrderOfTensors) {
  const test::TempFolder folder;
  const std::string path = folder.file("x.safetensors");
  auto writer = SafetensorsWriter::create(path, {{"a.weight", DType::kF8E4M3, {2, 3}}, {"b", DType::kBF16, {4}}});
  ASSERT_TRUE(writer) << writer.error().message;
  EXPECT_EQ(writer->payload_bytes(), 14U);
  ASSERT_TRUE(writer->append(1, as_bytes("87654321")));
  ASSERT_TRUE(writer->append(0, as_bytes("ab")));
  ASSERT_TRUE(writer->append(0, as_bytes("cdef")));
  EXPECT_FALSE(folder.has("x.safetensors"));
  ASSERT_TRUE(writer->finish());

  const auto file = MappedFile::open(path);
  ASSERT_TRUE(file);
  const auto tensors = parse_safetensors(file->bytes(), path);
  ASSERT_TRUE(tensors) << tensors.error().message;
  ASSERT_EQ(tensors->size(), 2U);
  EXPECT_EQ((*tensors)[0].name, "a.weight");
  EXPECT_EQ(describe((*tensors)[0]), "F8_E4M3 [2, 3]");
  EXPECT_EQ(as_text((*tensors)[0].data), "abcdef");
  EXPECT_EQ(describe((*tensors)[1]), "BF16 [4]");
  EXPECT_EQ(as_text((*tensors)[1].data), "87654321");
  EXPECT_EQ((*tensors)[0].file_offset % 8, 0U);
}

TEST(SafetensorsWriter, AnUnfinishedFileIsGone) {
  const test::TempFolder folder;
  {
    ASSERT_TRUE(SafetensorsWriter::create(folder.file("x.safetensors"), {{"a", DType::kU8, {4}}}));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(SafetensorsWriter, TensorsThatCannotBeAreNamed) {
  EXPECT_THAT(refusal({{"a\"b", DType::kU8, {4}}}), HasSubstr("tensor a\"b"));
  EXPECT_THAT(refusal({{"a", DType::kU8, {4}}, {"a", DType::kU8, {4}}}), HasSubstr("tensor a: "));
  EXPECT_THAT(refusal({{"a", DType::kU8, {4, 0}}}), HasSubstr("[4, 0]"));
  EXPECT_THAT(refusal({{"a", DType::kU8, {}}}), HasSubstr("tensor a: "));
  EXPECT_THAT(refusal({{"a", DType::kF32, {u64{1} << 40, u64{1} << 40}}}), HasSubstr("tensor a: "));
}

}  // namespace
}  // namespace bolide::formats
