#include "formats/gguf_file.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>

#include "formats/gguf_bytes.h"
#include "formats/gguf_writer.h"
#include "support/temp_folder.h"

namespace bolide::formats {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

const std::vector<GgufTensorSpec> kSpecs{
    {.name = "a", .type = GgufType::kF32, .dimensions = {5}},
    {.name = "b", .type = GgufType::kQ4_K, .dimensions = {256, 3, 2}},
    {.name = "c", .type = GgufType::kI8, .dimensions = {66, 1000}},
};

std::string payload(std::size_t tensor, u64 bytes) {
  std::string text(bytes, '\0');
  for (u64 i = 0; i < bytes; ++i) text[i] = static_cast<char>(i * 7 + tensor * 31);
  return text;
}

GgufMetadata metadata() {
  GgufMetadata values;
  values.add_text("text", "wörd");
  values.add_bool("yes", true);
  values.add_f32("half", 0.5f);
  values.add_u64("big", u64{1} << 60);
  values.add_u32s("list", std::vector<u32>{3, 4});
  values.add_i32s("types", std::vector<i32>{1, 3});
  values.add_u64s("multipliers", std::vector<u64>{~u64{0}});
  values.add_texts("texts", std::vector<std::string>{"a b", ""});
  return values;
}

// Writes the example in pieces of `piece` bytes.
void write_example(const std::string& path, u64 piece) {
  Result<GgufWriter> writer = GgufWriter::create(path, metadata(), kSpecs);
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  for (std::size_t i = 0; i < kSpecs.size(); ++i) {
    const std::string bytes = payload(i, writer->tensor_bytes(i));
    for (u64 at = 0; at < bytes.size(); at += piece) {
      ASSERT_TRUE(writer->append(i, as_bytes(std::string_view(bytes).substr(at, piece))).ok());
    }
  }
  ASSERT_TRUE(writer->finish().ok());
}

TEST(GgufFile, GivesBackWhatWasWritten) {
  const test::TempFolder folder;
  const std::string path = folder.file("model.gguf");
  write_example(path, 1000);
  const Result<GgufFile> file = GgufFile::open(path);
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->value("text")->text(), "wörd");
  EXPECT_EQ(file->value("yes")->truth(), true);
  EXPECT_EQ(file->value("half")->number(), 0.5);
  EXPECT_EQ(file->value("big")->whole(), u64{1} << 60);
  EXPECT_EQ(file->value("general.alignment")->whole(), 16384u);
  EXPECT_THAT(file->value("list")->wholes(), Optional(ElementsAre(3, 4)));
  EXPECT_THAT(file->value("types")->wholes(), Optional(ElementsAre(1, 3)));
  EXPECT_THAT(file->value("multipliers")->wholes(), Optional(ElementsAre(~u64{0})));
  EXPECT_THAT(file->value("texts")->texts(), Optional(ElementsAre("a b", "")));
  ASSERT_EQ(file->tensors().size(), kSpecs.size());
  for (std::size_t i = 0; i < kSpecs.size(); ++i) {
    const GgufTensor& tensor = file->tensors()[i];
    EXPECT_EQ(tensor.name, kSpecs[i].name);
    EXPECT_EQ(tensor.type, kSpecs[i].type);
    EXPECT_EQ(tensor.dimensions, kSpecs[i].dimensions);
    EXPECT_EQ(tensor.file_offset % kGgufAlignment, 0u);
    EXPECT_EQ(as_text(tensor.data), payload(i, tensor.data.size()));
  }
  EXPECT_EQ(file->find("b"), &file->tensors()[1]);
  EXPECT_EQ(file->find("d"), nullptr);
  EXPECT_EQ(std::filesystem::file_size(path) % kGgufAlignment, 0u);
}

TEST(GgufFile, HasItsNameOnlyWhenItIsWhole) {
  const test::TempFolder folder;
  {
    Result<GgufWriter> writer = GgufWriter::create(folder.file("model.gguf"), metadata(), kSpecs);
    ASSERT_TRUE(writer.ok());
    EXPECT_TRUE(folder.has("model.gguf.partial"));
  }
  EXPECT_FALSE(folder.has("model.gguf"));
  EXPECT_FALSE(folder.has("model.gguf.partial"));
}

std::string part_name(u64 index, u64 count) {
  return fmt::format("model-{:05}-of-{:05}.gguf", index, count);
}

// Part `index` of `count`, with one tensor of its own.
std::string part(u16 index, u16 count, std::string_view tensor, i32 total) {
  GgufBytes bytes(1, 3 + (index == 0 ? 1 : 0));
  if (index == 0) bytes.u32_value("only.in.the.first", 5);
  bytes.key("split.no", 2).number(index).key("split.count", 2).number(count);
  bytes.key("split.tensors.count", 5).number(total);
  return bytes.tensor(tensor, {4}, 24, 0).data(std::string(4, static_cast<char>('0' + index))).str();
}

TEST(GgufFile, OpensASplitModelByAnyOfItsParts) {
  const test::TempFolder folder;
  folder.write(part_name(1, 3), part(0, 3, "a", 3));
  folder.write(part_name(2, 3), part(1, 3, "b", 3));
  folder.write(part_name(3, 3), part(2, 3, "c", 3));
  for (const u64 named : {1, 2, 3}) {
    const Result<GgufFile> file = GgufFile::open(folder.file(part_name(named, 3)));
    ASSERT_TRUE(file.ok()) << file.error().message;
    ASSERT_EQ(file->tensors().size(), 3u);
    EXPECT_EQ(as_text(file->find("c")->data), "2222");
    EXPECT_EQ(file->files()[file->find("c")->part].path(), folder.file(part_name(3, 3)));
    EXPECT_EQ(file->value("only.in.the.first")->whole(), 5u);
  }
}

TEST(GgufFile, RefusesASplitModelThatDoesNotFitTogether) {
  const test::TempFolder folder;
  folder.write(part_name(1, 2), part(0, 2, "a", 2));
  const auto error = [&](std::string_view second) {
    if (!second.empty()) folder.write(part_name(2, 2), second);
    const Result<GgufFile> file = GgufFile::open(folder.file(part_name(1, 2)));
    return file.ok() ? "opened" : file.error().message;
  };
  EXPECT_THAT(error(""), HasSubstr("model-00002-of-00002.gguf: cannot open"));
  EXPECT_THAT(error(part(1, 2, "a", 2)), HasSubstr("tensor a is also in an earlier part"));
  EXPECT_THAT(error(part(0, 2, "b", 2)), HasSubstr("says part 1 of 2, its name says part 2 of 2"));
  EXPECT_THAT(error(part(1, 3, "b", 2)), HasSubstr("says part 2 of 3"));
  EXPECT_THAT(error(part(5, 3, "b", 2)), HasSubstr("which part of how many"));
  EXPECT_EQ(error(part(1, 2, "b", 2)), "opened");
  folder.write(part_name(1, 2), part(0, 2, "a", 7));
  EXPECT_THAT(error(""), HasSubstr("split.tensors.count says 7"));
  folder.write("renamed.gguf", part(0, 2, "a", 2));
  const Result<GgufFile> renamed = GgufFile::open(folder.file("renamed.gguf"));
  ASSERT_FALSE(renamed.ok());
  EXPECT_THAT(renamed.error().message, HasSubstr("should end in -00001-of-00002.gguf"));
}

// The Q4 file is published in two pieces, cut anywhere.
TEST(GgufFile, JoinedPiecesAreOneFileAndASinglePieceIsRefusedWithAdvice) {
  const test::TempFolder folder;
  const std::string whole = GgufBytes(1).tensor("t", {400}, 0, 0).data(std::string(1600, 't')).str();
  const std::string first = whole.substr(0, 1000);
  const std::string second = whole.substr(1000);
  folder.write("joined.gguf", first + second);
  folder.write("first.gguf", first);
  folder.write("second.gguf", second);
  EXPECT_TRUE(GgufFile::open(folder.file("joined.gguf")).ok());
  EXPECT_THAT(GgufFile::open(folder.file("first.gguf")).error().message, HasSubstr("cat PIECE1 PIECE2"));
  EXPECT_THAT(GgufFile::open(folder.file("second.gguf")).error().message, HasSubstr("joined with the first one"));
}

TEST(GgufFile, PlacesBeyond4GigabytesAreRight) {
  const test::TempFolder folder;
  const u64 offset = (u64{5} << 30) + 32;
  const std::string header = GgufBytes(2).tensor("small", {4}, 24, 0).tensor("far", {4}, 24, offset).data("").str();
  folder.write("far.gguf", header);
  const std::string path = folder.file("far.gguf");
  std::filesystem::resize_file(path, header.size() + offset + 4);  // sparse
  std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(static_cast<std::streamoff>(header.size() + offset));
  stream << "here";
  stream.close();
  const Result<GgufFile> file = GgufFile::open(path);
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(as_text(file->find("far")->data), "here");
  EXPECT_EQ(file->find("far")->file_offset, header.size() + offset);
}

TEST(GgufPlan, OffsetsOfABigFileNeedMoreThan32Bits) {
  const std::vector<GgufTensorSpec> big{{.name = "table", .type = GgufType::kI8, .dimensions = {264, 384006168}},
                                        {.name = "next", .type = GgufType::kF16, .dimensions = {5120, 129280}}};
  const Result<GgufPlan> plan = plan_gguf_file({}, big);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->bytes[0], u64{264} * 384006168);
  EXPECT_EQ(plan->offsets[1] - plan->offsets[0], 101'377'638'400u);
  EXPECT_EQ(plan->file_bytes % kGgufAlignment, 0u);
  const std::vector<GgufTensorSpec> too_big{
      {.name = "t", .type = GgufType::kF32, .dimensions = {u64{1} << 40, 1 << 23}}};
  EXPECT_FALSE(plan_gguf_file({}, too_big).ok());
}

}  // namespace
}  // namespace bolide::formats
