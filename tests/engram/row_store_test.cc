#include "engram/row_store.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>

#include "support/temp_folder.h"

namespace bolide::engram {
namespace {

using testing::HasSubstr;

constexpr u32 kHeadDim = 64;
constexpr u64 kRows = 5;

u8 code_of(u64 row, u64 column) {
  return static_cast<u8>((row * 31 + column) % 127);  // every finite positive code
}
u8 scale_of(u64 row, u64 group) {
  return static_cast<u8>(110 + row * 2 + group);
}

class RowStore : public testing::Test {
 protected:
  void write(const std::vector<u8>& bytes) const {
    std::ofstream(path_, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  }

  // 100 other bytes, then rows of codes and scales, as in a `.engram` file.
  TableSource write_side_by_side() const {
    std::vector<u8> bytes(100, 0xff);
    for (u64 row = 0; row < kRows; ++row) {
      for (u64 i = 0; i < kHeadDim; ++i) bytes.push_back(code_of(row, i));
      for (u64 i = 0; i < kHeadDim / 32; ++i) bytes.push_back(scale_of(row, i));
    }
    write(bytes);
    return {{path_, 100, 66}, {path_, 164, 66}, kRows};
  }

  // Codes, then scales, as in a checkpoint.
  TableSource write_apart() const {
    std::vector<u8> bytes;
    for (u64 row = 0; row < kRows; ++row) {
      for (u64 i = 0; i < kHeadDim; ++i) bytes.push_back(code_of(row, i));
    }
    for (u64 row = 0; row < kRows; ++row) {
      for (u64 i = 0; i < kHeadDim / 32; ++i) bytes.push_back(scale_of(row, i));
    }
    write(bytes);
    return {{path_, 0, kHeadDim}, {path_, kRows * kHeadDim, kHeadDim / 32}, kRows};
  }

  const test::TempFolder folder_;
  const std::string path_ = folder_.file("rows");
};

void expect_rows(const TableSource& source) {
  const auto store = FileRows::open({source}, kHeadDim);
  ASSERT_TRUE(store) << store.error().message;
  const std::vector<u64> rows = {4, 0, 4};
  std::vector<std::byte> bytes(rows.size() * 66);
  ASSERT_TRUE((*store)->read(0, rows, bytes));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (u64 c = 0; c < kHeadDim; ++c) EXPECT_EQ(byte_at(bytes, i * 66 + c), code_of(rows[i], c));
    for (u64 g = 0; g < 2; ++g) EXPECT_EQ(byte_at(bytes, i * 66 + kHeadDim + g), scale_of(rows[i], g));
  }
}

TEST_F(RowStore, ReadsRowsWhereCodesAndScalesLieSideBySide) {
  expect_rows(write_side_by_side());
}

TEST_F(RowStore, ReadsRowsWhereCodesAndScalesLieApart) {
  expect_rows(write_apart());
}

TEST_F(RowStore, RefusesARowBeyondTheTable) {
  const auto store = FileRows::open({write_apart()}, kHeadDim);
  ASSERT_TRUE(store);
  std::vector<std::byte> bytes(66);
  const Status status = (*store)->read(0, std::vector<u64>{kRows}, bytes);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("has 5 rows, so there is no row 5"));
}

TEST_F(RowStore, RefusesATableThatTheFileIsTooShortFor) {
  TableSource source = write_side_by_side();
  source.rows = kRows + 1;
  const auto one_row = FileRows::open({source}, kHeadDim);
  ASSERT_FALSE(one_row);
  EXPECT_THAT(one_row.error().message, HasSubstr(path_ + ": 6 Engram rows from byte 100 on do not fit"));
  source.rows = u64{1} << 62;  // 66 * 2^62 wraps round to a small number
  EXPECT_FALSE(FileRows::open({source}, kHeadDim));
  source.rows = 0;
  EXPECT_FALSE(FileRows::open({source}, kHeadDim));
}

// Pitfalls B45: the request fails, the process goes on.
TEST_F(RowStore, AFileThatIsCutWhileInUseIsAnErrorWithFileAndRow) {
  const auto store = FileRows::open({write_side_by_side()}, kHeadDim);
  ASSERT_TRUE(store);
  std::filesystem::resize_file(path_, 100 + 2 * 66 + 10);
  std::vector<std::byte> bytes(66);
  EXPECT_TRUE((*store)->read(0, std::vector<u64>{1}, bytes));
  const Status status = (*store)->read(0, std::vector<u64>{2}, bytes);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr(path_ + ": cannot read Engram row 2: the file ends"));
}

TEST_F(RowStore, AMissingFileIsNamed) {
  const auto store = FileRows::open({{{"/nowhere/rows", 0, 66}, {"/nowhere/rows", 64, 66}, 1}}, kHeadDim);
  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().message, HasSubstr("/nowhere/rows: cannot open"));
}

// A reader of one row with given bytes.
class OneRow : public RowReader {
 public:
  explicit OneRow(std::vector<u8> bytes) : RowReader(32), bytes_(std::move(bytes)) {}
  Status read(u32, std::span<const u64>, std::span<std::byte> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>(bytes_[i]);
    return {};
  }

 private:
  std::vector<u8> bytes_;
};

std::vector<u8> row_with(u8 code, u8 scale) {
  std::vector<u8> bytes(33, 0x38);  // 1.0
  bytes[7] = code;
  bytes[32] = scale;
  return bytes;
}

TEST(RowValues, AreCodeTimesScale) {
  std::vector<float> values(32);
  ASSERT_TRUE(read_values(OneRow(row_with(0xc4, 125)), 0, std::vector<u64>{0}, values));
  EXPECT_EQ(values[0], 0.25f);
  EXPECT_EQ(values[7], -0.75f);  // -3 * 2^-2
}

TEST(RowValues, PassTheDoorOfSmallNumbers) {
  std::vector<float> values(32);
  ASSERT_TRUE(read_values(OneRow(row_with(0x81, 93)), 0, std::vector<u64>{0}, values));
  EXPECT_EQ(values[0], 0x1p-34f);
  EXPECT_EQ(std::bit_cast<u32>(values[7]), 0x80000000);  // -2^-9 * 2^-34 is below 2^-40: a zero of its sign
}

TEST(RowValues, CodesThatAreNotNumbersAreRefusedByRow) {
  std::vector<float> values(32);
  for (const auto& [code, scale] : {std::pair<u8, u8>{0x7f, 120}, {0xff, 120}, {0x38, 255}, {0x7e, 254}}) {
    const Status status = read_values(OneRow(row_with(code, scale)), 3, std::vector<u64>{17}, values);
    ASSERT_FALSE(status) << int{code} << " " << int{scale};
    EXPECT_THAT(status.error().message, HasSubstr("table 3, row 17"));
  }
}

}  // namespace
}  // namespace bolide::engram
