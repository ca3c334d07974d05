#include "formats/packed_file.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <thread>

#include "base/mapped_file.h"
#include "formats/packed_example.h"
#include "support/sanitized.h"
#include "support/temp_folder.h"

namespace bolide::formats {
namespace {

using ::testing::HasSubstr;

bool same(Bytes a, Bytes b) {
  return std::ranges::equal(a, b);
}

// What was appended is what the views give, plane by plane, and nothing else is stored.
void expect_example(const PackedFile& file) {
  const std::vector<PackedSpec> specs = example_specs();
  ASSERT_EQ(file.tensors().size(), specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const PackedTensor* tensor = file.find(specs[i].name);
    ASSERT_EQ(tensor, &file.tensors()[i]);
    EXPECT_EQ(tensor->spec.tensor_class, specs[i].tensor_class);
    EXPECT_EQ(tensor->spec.shape.type, specs[i].shape.type);
    EXPECT_EQ(tensor->spec.shape.form, specs[i].shape.form);
    EXPECT_EQ(tensor->spec.shape.experts, specs[i].shape.experts);
    EXPECT_EQ(tensor->spec.shape.rows, specs[i].shape.rows);
    EXPECT_EQ(tensor->spec.shape.columns, specs[i].shape.columns);
    EXPECT_EQ(static_cast<u64>(tensor->all_codes.data() - file.bytes().data()) % kTensorAlignment, 0u);

    const std::vector<std::byte> bytes = example_bytes(i, stream_bytes(specs[i].shape));
    const PlaneBytes planes = plane_bytes(specs[i].shape).value();
    Bytes rest(bytes);
    for (u64 e = 0; e < specs[i].shape.experts; ++e, rest = rest.subspan(planes.codes)) {
      EXPECT_TRUE(same(tensor->codes(e), rest.first(planes.codes))) << specs[i].name << " codes " << e;
      EXPECT_EQ(static_cast<u64>(tensor->codes(e).data() - file.bytes().data()) % kExpertAlignment, 0u);
    }
    for (u64 e = 0; e < specs[i].shape.experts; ++e, rest = rest.subspan(planes.scales)) {
      EXPECT_TRUE(same(tensor->scales(e), rest.first(planes.scales))) << specs[i].name << " scales " << e;
    }
    Sha256 hash;
    hash.update(tensor->all_codes);
    hash.update(tensor->all_scales);
    EXPECT_EQ(tensor->digest, hash.finish());
  }
  EXPECT_EQ(file.config_json(), example_documents().config);
  EXPECT_EQ(file.tokenizer_json(), example_documents().tokenizer);
  EXPECT_EQ(file.engram_json(), example_documents().engram);
  EXPECT_EQ(file.find("norm"), nullptr);
  EXPECT_EQ(file.bytes().size() % kTensorAlignment, 0u);
  EXPECT_TRUE(file.verify_contents().ok());
}

TEST(PackedFile, GivesBackWhatWasWrittenInMemory) {
  const Result<PackedFile> file = example_in_memory();
  ASSERT_TRUE(file.ok()) << file.error().message;
  expect_example(*file);
}

TEST(PackedFile, IsTheSameOnDiskInMemoryAndInPiecesOfAnySize) {
  const Result<PackedFile> memory = example_in_memory();
  ASSERT_TRUE(memory.ok());
  for (const std::size_t piece : {std::size_t{7}, std::size_t{256}, std::size_t{100'000}}) {
    const test::TempFolder folder;
    Result<PackedWriter> writer = PackedWriter::to_file(folder.file("m.bolide"), example_documents(), example_specs());
    ASSERT_TRUE(writer.ok()) << writer.error().message;
    ASSERT_TRUE(append_example(*writer, piece).ok());
    EXPECT_TRUE(folder.has("m.bolide.partial"));
    const Result<PackedFile> written = writer->finish();
    ASSERT_TRUE(written.ok()) << written.error().message;
    EXPECT_FALSE(folder.has("m.bolide.partial"));
    const Result<PackedFile> file = PackedFile::open(folder.file("m.bolide"));
    ASSERT_TRUE(file.ok());
    expect_example(*file);
    EXPECT_TRUE(same(file->bytes(), memory->bytes()));
  }
}

TEST(PackedFile, WithoutHashesTheContentsAreTheSameAndCannotBeVerified) {
  Result<PackedWriter> writer =
      PackedWriter::to_memory("example", example_documents(), example_specs(), ContentHashes::kLeftOut);
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(append_example(*writer, 1000).ok());
  const Result<PackedFile> file = writer->finish();
  const Result<PackedFile> hashed = example_in_memory();
  ASSERT_TRUE(file.ok() && hashed.ok());
  for (std::size_t i = 0; i < file->tensors().size(); ++i) {
    EXPECT_EQ(file->tensors()[i].digest, Sha256Digest{});
    EXPECT_TRUE(same(file->tensors()[i].all_codes, hashed->tensors()[i].all_codes));
    EXPECT_TRUE(same(file->tensors()[i].all_scales, hashed->tensors()[i].all_scales));
  }
  EXPECT_TRUE(hashed->verify_contents().ok());
  EXPECT_THAT(file->verify_contents().error().message, HasSubstr("norm.weight has no hash"));
}

TEST(PackedFile, TensorsMayBeAppendedInterleaved) {
  Result<PackedWriter> writer = PackedWriter::to_memory("example", example_documents(), example_specs());
  ASSERT_TRUE(writer.ok());
  const std::vector<PackedSpec> specs = example_specs();
  bool more = true;
  for (std::size_t at = 0; more; at += 300) {
    more = false;
    for (std::size_t i = specs.size(); i-- > 0;) {
      const std::vector<std::byte> bytes = example_bytes(i, stream_bytes(specs[i].shape));
      if (at >= bytes.size()) continue;
      more = true;
      const std::size_t count = std::min<std::size_t>(300, bytes.size() - at);
      ASSERT_TRUE(writer->append(i, Bytes(bytes).subspan(at, count)).ok());
    }
  }
  const Result<PackedFile> file = writer->finish();
  ASSERT_TRUE(file.ok());
  expect_example(*file);
}

TEST(PackedFile, DifferentTensorsMayBeAppendedByDifferentThreads) {
  const test::TempFolder folder;
  Result<PackedWriter> writer = PackedWriter::to_file(folder.file("m.bolide"), example_documents(), example_specs());
  ASSERT_TRUE(writer.ok());
  const std::vector<PackedSpec> specs = example_specs();
  std::vector<std::jthread> threads;
  threads.reserve(specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    threads.emplace_back([&, i] {
      const std::vector<std::byte> bytes = example_bytes(i, stream_bytes(specs[i].shape));
      EXPECT_TRUE(writer->append(i, bytes).ok());
    });
  }
  threads.clear();  // joins
  const Result<PackedFile> file = writer->finish();
  ASSERT_TRUE(file.ok());
  expect_example(*file);
}

TEST(PackedFile, AnAbandonedWriterLeavesNoFile) {
  const test::TempFolder folder;
  {
    Result<PackedWriter> writer = PackedWriter::to_file(folder.file("m.bolide"), example_documents(), example_specs());
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE(writer->append(0, example_bytes(0, 14)).ok());
  }
  EXPECT_FALSE(folder.has("m.bolide"));
  EXPECT_FALSE(folder.has("m.bolide.partial"));
}

// Whoever maps PATH.partial sees a header of zeros until the very end.
TEST(PackedFile, APartialFileIsNotAPackedFile) {
  const test::TempFolder folder;
  Result<PackedWriter> writer = PackedWriter::to_file(folder.file("m.bolide"), example_documents(), example_specs());
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(append_example(*writer, 1000).ok());
  const Result<PackedFile> partial = PackedFile::open(folder.file("m.bolide.partial"));
  ASSERT_FALSE(partial.ok());
  EXPECT_THAT(partial.error().message, HasSubstr("not a packed weights file"));
}

TEST(PackedFile, WorksWithoutTensorsAndDocuments) {
  Result<PackedWriter> writer = PackedWriter::to_memory("empty", {}, {});
  ASSERT_TRUE(writer.ok());
  const Result<PackedFile> file = writer->finish();
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_TRUE(file->tensors().empty());
  EXPECT_EQ(file->config_json(), "");
}

TEST(PackedFile, CopiesOutliveTheOriginal) {
  std::optional<PackedFile> copy;
  {
    const Result<PackedFile> file = example_in_memory();
    ASSERT_TRUE(file.ok());
    copy = *file;
  }
  expect_example(*copy);
}

TEST(PackedWriter, RefusesNamesAndShapesThatDoNotFit) {
  const PackedShape good{.type = WeightType::kF32, .form = Form::kPlain, .rows = 1, .columns = 1};
  const std::vector<std::pair<std::vector<PackedSpec>, std::string>> cases{
      {{{"", "norm", good}}, "tensor name"},
      {{{"a b", "norm", good}}, "tensor name"},
      {{{std::string(128, 'n'), "norm", good}}, "tensor name"},
      {{{"a", "", good}}, "tensor a: its class"},
      {{{"a", std::string(32, 'c'), good}}, "tensor a: its class"},
      {{{"a", "norm", good}, {"a", "norm", good}}, "tensor a: its name is there twice"},
      {{{"a", "norm", {.type = WeightType::kMXFP4, .form = Form::kTiled, .rows = 1, .columns = 31}}},
       "tensor a: 31 columns"},
      {{{"a", "norm", {.type = WeightType::kF32, .form = Form::kPlain, .rows = u64{1} << 61, .columns = 2}}},
       "tensor a:"},
  };
  for (const auto& [specs, named] : cases) {
    const Result<PackedWriter> writer = PackedWriter::to_memory("out", {}, specs);
    ASSERT_FALSE(writer.ok()) << named;
    EXPECT_THAT(writer.error().message, HasSubstr("out: "));
    EXPECT_THAT(writer.error().message, HasSubstr(named));
  }
}

TEST(PackedWriter, SaysHowMuchTheDiskLacks) {
  const test::TempFolder folder;
  const PackedShape huge{.type = WeightType::kF32, .form = Form::kPlain, .rows = u64{1} << 40, .columns = 1 << 18};
  const Result<PackedWriter> writer = PackedWriter::to_file(folder.file("out"), {}, {{"a", "norm", huge}});
  ASSERT_FALSE(writer.ok());
  EXPECT_THAT(writer.error().message, HasSubstr("are free on this disk"));
  EXPECT_FALSE(folder.has("out.partial"));
}

TEST(PackedWriter, SaysThatMemoryDoesNotSuffice) {
  if (test::kSanitized) GTEST_SKIP() << "the allocator of the sanitizer stops the program instead";
  const PackedShape huge{.type = WeightType::kF32, .form = Form::kPlain, .rows = u64{1} << 40, .columns = 1 << 18};
  const Result<PackedWriter> writer = PackedWriter::to_memory("out", {}, {{"a", "norm", huge}});
  ASSERT_FALSE(writer.ok());
  EXPECT_THAT(writer.error().message, HasSubstr("no memory for 1152921504606"));
}

using PackedWriterDeath = ::testing::Test;

TEST(PackedWriterDeath, StopsAtMoreOrFewerBytesThanTheShapeHolds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const PackedShape shape{.type = WeightType::kF32, .form = Form::kPlain, .rows = 1, .columns = 1};
  Result<PackedWriter> writer = PackedWriter::to_memory("out", {}, {{"a", "norm", shape}});
  ASSERT_TRUE(writer.ok());
  EXPECT_DEATH((void)writer->append(0, example_bytes(0, 5)), "no tensor gets more bytes");
  EXPECT_DEATH((void)writer->finish(), "every tensor was appended in full");
}

}  // namespace
}  // namespace bolide::formats
