#include "formats/engram_file.h"

#include <cstring>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>

#include "base/mapped_file.h"
#include "support/allocation_meter.h"
#include "support/temp_folder.h"

namespace bolide::formats {
namespace {

using ::testing::HasSubstr;

std::vector<EngramTableSpec> example_tables() {
  return {{.layer = 1, .rows = 100, .row_bytes = 264}, {.layer = 14, .rows = 33, .row_bytes = 66}};
}

std::string rows_of(const EngramTableSpec& spec) {
  std::string rows(spec.rows * spec.row_bytes, '\0');
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<char>(i * 31 + spec.layer);
  return rows;
}

Result<EngramFile> write_example(const std::string& path, std::size_t piece) {
  const std::vector<EngramTableSpec> specs = example_tables();
  Result<EngramWriter> writer = EngramWriter::create(path, specs);
  if (!writer) return writer.error();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::string rows = rows_of(specs[i]);
    for (std::size_t at = 0; at < rows.size(); at += piece) {
      if (Status status = writer->append(i, as_bytes(rows.substr(at, piece))); !status) return status.error();
    }
  }
  return writer->finish();
}

TEST(EngramFile, GivesBackItsTables) {
  const std::vector<EngramTableSpec> specs = example_tables();
  const test::TempFolder folder;
  const Result<EngramFile> written = write_example(folder.file("m.engram"), 1000);
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_FALSE(folder.has("m.engram.partial"));
  const Result<EngramFile> file = open_engram_file(folder.file("m.engram"));
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->path, folder.file("m.engram"));
  EXPECT_EQ(file->identity, written->identity);
  ASSERT_EQ(file->tables.size(), 2u);
  const Result<MappedFile> mapping = MappedFile::open(folder.file("m.engram"));
  ASSERT_TRUE(mapping.ok());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const EngramTable& table = file->tables[i];
    EXPECT_EQ(table.spec.layer, specs[i].layer);
    EXPECT_EQ(table.spec.rows, specs[i].rows);
    EXPECT_EQ(table.spec.row_bytes, specs[i].row_bytes);
    EXPECT_EQ(table.offset % 4096, 0u);
    EXPECT_EQ(as_text(mapping->bytes().subspan(table.offset, table.bytes())), rows_of(specs[i]));
    EXPECT_EQ(table.digest, sha256(as_bytes(rows_of(specs[i]))));
  }
  EXPECT_TRUE(verify_contents(*file).ok());
}

TEST(EngramFile, IdentityFollowsTheContentNotThePieces) {
  const std::vector<EngramTableSpec> specs = example_tables();
  const test::TempFolder folder;
  const Result<EngramFile> a = write_example(folder.file("a"), 7);
  const Result<EngramFile> b = write_example(folder.file("b"), 100'000);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a->identity, b->identity);
  Result<EngramWriter> writer = EngramWriter::create(folder.file("c"), {specs[0]});
  ASSERT_TRUE(writer.ok());
  std::string rows = rows_of(specs[0]);
  ASSERT_TRUE(writer->append(0, as_bytes(rows)).ok());
  const Result<EngramFile> c = writer->finish();
  rows.back() ^= 1;
  Result<EngramWriter> other = EngramWriter::create(folder.file("d"), {specs[0]});
  ASSERT_TRUE(other.ok() && other->append(0, as_bytes(rows)).ok());
  const Result<EngramFile> d = other->finish();
  ASSERT_TRUE(c.ok() && d.ok());
  EXPECT_NE(c->identity, d->identity);
}

TEST(EngramFile, AnAbandonedWriterLeavesNoFile) {
  const test::TempFolder folder;
  {
    ASSERT_TRUE(EngramWriter::create(folder.file("m.engram"), example_tables()).ok());
  }
  EXPECT_FALSE(folder.has("m.engram"));
  EXPECT_FALSE(folder.has("m.engram.partial"));
}

TEST(EngramFile, VerificationNamesTheDamagedTable) {
  const test::TempFolder folder;
  const Result<EngramFile> file = write_example(folder.file("m.engram"), 1000);
  ASSERT_TRUE(file.ok());
  std::fstream stream(folder.file("m.engram"), std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(static_cast<std::streamoff>(file->tables[1].offset + 5)).put('!');
  stream.close();
  ASSERT_TRUE(open_engram_file(folder.file("m.engram")).ok());
  const Status verified = verify_contents(*file);
  ASSERT_FALSE(verified.ok());
  EXPECT_THAT(verified.error().message, HasSubstr("the table of layer 14 does not have the hash"));
}

TEST(EngramWriter, RefusesTablesThatCannotBe) {
  const EngramTableSpec good = example_tables()[0];
  const test::TempFolder folder;
  const std::vector<std::pair<std::vector<EngramTableSpec>, std::string>> cases{
      {{}, "0 tables"},
      {std::vector<EngramTableSpec>(64, good), "64 tables"},
      {{{.layer = 1, .rows = 0, .row_bytes = 264}}, "layer 1: 0 rows"},
      {{{.layer = 1, .rows = 1, .row_bytes = 0}}, "rows of 0 bytes"},
      {{{.layer = 1, .rows = u64{1} << 62, .row_bytes = 264}}, "more than a file can hold"},
      {{good, good}, "layer 1: it is there twice"},
      {{{.layer = 1, .rows = u64{1} << 50, .row_bytes = 264}}, "free on this disk"},
  };
  for (const auto& [specs, named] : cases) {
    const Result<EngramWriter> writer = EngramWriter::create(folder.file("out"), specs);
    ASSERT_FALSE(writer.ok()) << named;
    EXPECT_THAT(writer.error().message, HasSubstr(named));
  }
}

// Broken headers (pitfalls B48).
class BrokenEngramFile : public ::testing::Test {
 protected:
  static constexpr u64 kDigestAt = kEngramHeaderBytes - 32;

  void SetUp() override {
    const test::TempFolder folder;
    ASSERT_TRUE(write_example(folder.file("m.engram"), 1000).ok());
    const Result<MappedFile> mapping = MappedFile::open(folder.file("m.engram"));
    ASSERT_TRUE(mapping.ok());
    file_bytes_ = mapping->bytes().size();
    good_.assign(mapping->bytes().begin(), mapping->bytes().begin() + kEngramHeaderBytes);
  }

  // The refusal of a header, whose hash is made to fit first.
  std::string refusal(std::vector<std::byte> header) const {
    store(&header[kDigestAt], sha256(Bytes(header).first(kDigestAt)));
    const test::AllocationMeter meter;
    const Result<EngramFile> file = parse_engram_header(header, file_bytes_, "folder/file");
    EXPECT_LT(meter.bytes(), 64'000u);
    return file.ok() ? "was opened" : file.error().message;
  }
  template <class T>
  std::string refusal_with(u64 at, T value) const {
    std::vector<std::byte> header = good_;
    store(&header[at], value);
    return refusal(header);
  }

  std::vector<std::byte> good_;
  u64 file_bytes_ = 0;
};

TEST_F(BrokenEngramFile, IsRefusedWhenAnyHeaderByteIsChanged) {
  for (std::size_t i = 0; i < kEngramHeaderBytes; ++i) {
    std::vector<std::byte> header = good_;
    header[i] ^= std::byte{8};
    EXPECT_FALSE(parse_engram_header(header, file_bytes_, "f").ok()) << i;
  }
}

TEST_F(BrokenEngramFile, IsRefusedWhenCutAnywhere) {
  for (std::size_t length = 0; length < kEngramHeaderBytes; ++length) {
    EXPECT_FALSE(parse_engram_header(Bytes(good_).first(length), length, "f").ok()) << length;
  }
  for (const u64 bytes : {u64{4096}, file_bytes_ - 1, file_bytes_ + 1, u64{0}, ~u64{0}}) {
    EXPECT_FALSE(parse_engram_header(good_, bytes, "f").ok()) << bytes;
  }
  EXPECT_TRUE(parse_engram_header(good_, file_bytes_, "f").ok());
}

TEST_F(BrokenEngramFile, IsRefusedNamingTheTable) {
  EXPECT_EQ(refusal(good_), "was opened");
  EXPECT_THAT(refusal_with<u32>(8, 2), HasSubstr("format version 2"));
  EXPECT_THAT(refusal_with<u32>(12, 0), HasSubstr("0 tables"));
  EXPECT_THAT(refusal_with<u32>(12, 0xffffffff), HasSubstr("4294967295 tables"));
  EXPECT_THAT(refusal_with<u32>(12, 3), HasSubstr("table of layer 0: 0 rows"));
  EXPECT_THAT(refusal_with<u64>(16, u64{1} << 63), HasSubstr("its header says 9223372036854775808"));
  EXPECT_THAT(refusal_with<u32>(24, 14), HasSubstr("table of layer 14: it is there twice"));
  EXPECT_THAT(refusal_with<u64>(32, (u64{1} << 63) - 1), HasSubstr("table of layer 1: 9223372036854775807 rows"));
  EXPECT_THAT(refusal_with<u64>(32, (u64{1} << 42) + 1), HasSubstr("table of layer 14: at byte"));
  EXPECT_THAT(refusal_with<u64>(32, 0), HasSubstr("neither may be 0"));
  EXPECT_THAT(refusal_with<u64>(40, 0), HasSubstr("neither may be 0"));
  EXPECT_THAT(refusal_with<u64>(40, ~u64{0}), HasSubstr("more than a file can hold"));
  EXPECT_THAT(refusal_with<u64>(48, u64{1} << 50),
              HasSubstr("table of layer 1: at byte 1125899906842624, wanted at 4096"));
  EXPECT_THAT(refusal_with<u64>(48 + 64, 4096), HasSubstr("table of layer 14: at byte 4096"));
  EXPECT_THAT(refusal_with<u64>(96, 1'000'000), HasSubstr("its tables need"));
}

TEST_F(BrokenEngramFile, OtherFilesAreNotEngramFiles) {
  EXPECT_THAT(refusal(std::vector<std::byte>(kEngramHeaderBytes, std::byte{'x'})),
              HasSubstr("it begins with \"xxxxxxxx\", not \"BOLIDEER\""));
}

}  // namespace
}  // namespace bolide::formats
