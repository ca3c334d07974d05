#include "convert/q8_0.h"

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <charconv>
#include <fstream>
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "base/json.h"

namespace bolide::convert {
namespace {

using testing::HasSubstr;

// A tile's first row, of a matrix with one row.
struct OneRow {
  std::vector<std::byte> codes;
  std::vector<std::byte> scales;
  SmallBlocks small;
  Status status;

  explicit OneRow(const MatrixRows& source) : codes(32 * source.columns), scales(2 * source.columns) {
    status = fill_q8_0_tile(source, codes, scales, small);
  }
  u16 d(u64 block) const { return load<u16>(&scales[block * 32 * 2]); }
  Bytes q(u64 block) const { return Bytes(codes).subspan(block * 32 * 32, 32); }
};

MatrixRows fp8(Bytes codes, Bytes scales) {
  return {.type = MatrixRows::Type::kFp8,
          .codes = codes,
          .scales = scales,
          .first_row = 0,
          .rows = 1,
          .columns = codes.size()};
}

std::vector<std::byte> from_hex(std::string_view text) {
  std::vector<std::byte> bytes;
  for (std::size_t at = 0; at + 2 <= text.size(); at += 3) {
    u8 byte = 0;
    std::from_chars(text.data() + at, text.data() + at + 2, byte, 16);
    bytes.push_back(static_cast<std::byte>(byte));
  }
  return bytes;
}

TEST(Q8_0, ReproducesTheVectorsOfA1) {
  std::ifstream lines(BOLIDE_SOURCE_DIR "/tests/goldens/a1-vectors.jsonl");
  int checked = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto parsed = parse_json(line, "a1-vectors.jsonl");
    ASSERT_TRUE(parsed);
    const boost::json::object& vector = parsed->get_object();
    if (vector.at("op") != "q8_0_from_e4m3") continue;
    const std::vector<std::byte> codes = from_hex(vector.at("code").get_string());
    const std::vector<std::byte> scale = {static_cast<std::byte>(vector.at("scale").get_int64())};
    const OneRow row(fp8(codes, scale));
    ASSERT_TRUE(row.status) << row.status.error().message;
    u16 d = 0;
    const std::string_view d_text = vector.at("d").get_string();
    std::from_chars(d_text.data(), d_text.data() + d_text.size(), d, 16);
    EXPECT_EQ(row.d(0), d) << line;
    EXPECT_THAT(row.q(0), testing::ElementsAreArray(from_hex(vector.at("q").get_string()))) << line;
    ++checked;
  }
  EXPECT_EQ(checked, 6);
}

// 32 codes of 2^-8 (0x08 is 2^-6, the smallest normal one, 0x01 is 2^-9), under scales that bring the block below F16.
TEST(Q8_0, ReportsSmallBlocksAndWhatTheyLose) {
  std::vector<std::byte> codes(96, std::byte{0x08});
  codes[64] = std::byte{0};
  // Block 0: weights 2^-6 * 2^-1, not small. Block 1: 2^-6 * 2^-10, d is an F16 subnormal. Block 2: 2^-6 * 2^-20, lost.
  const std::vector<std::byte> scales = {std::byte{126}, std::byte{117}, std::byte{107}};
  const OneRow row(fp8(codes, scales));
  ASSERT_TRUE(row.status);
  EXPECT_EQ(row.small.blocks, 2);
  EXPECT_EQ(row.small.zeroed, 1);
  EXPECT_EQ(row.d(2), 0);
  EXPECT_THAT(row.q(2), testing::Each(std::byte{0}));
  // 2^-16 / 127 is 2.0157... units of 2^-24: d = 2 units, q = rint(128) clamped to 127, each weight loses 2 units.
  EXPECT_EQ(row.d(1), 2);
  EXPECT_THAT(row.q(1), testing::Each(std::byte{127}));
  const double lost_1 = 0x1p-16 - 127 * 0x1p-23;
  const double lost_2 = 0x1p-26;
  EXPECT_DOUBLE_EQ(row.small.largest_loss, lost_1);
  EXPECT_DOUBLE_EQ(row.small.total_loss, 32 * lost_1 + 31 * lost_2);
  EXPECT_DOUBLE_EQ(row.small.total_weights, 32 * 0x1p-16 + 31 * 0x1p-26);
}

TEST(Q8_0, ABlockOfZerosIsNotASmallBlock) {
  const std::vector<std::byte> codes(32, std::byte{0x80});  // -0
  const std::vector<std::byte> scales = {std::byte{1}};
  const OneRow row(fp8(codes, scales));
  EXPECT_EQ(row.small.blocks, 0);
  EXPECT_EQ(row.d(0), 0);
}

TEST(Q8_0, RefusesABlockWhoseScaleWouldBeInfinite) {
  const std::vector<std::byte> codes(64, std::byte{0x7e});  // 448
  // 448 * 2^14 / 127 = 57,796 fits F16, 448 * 2^15 / 127 does not.
  const std::vector<std::byte> good = {std::byte{141}, std::byte{141}};
  EXPECT_TRUE(OneRow(fp8(codes, good)).status);
  const std::vector<std::byte> bad = {std::byte{141}, std::byte{142}};
  const OneRow row(fp8(codes, bad));
  ASSERT_FALSE(row.status);
  EXPECT_THAT(row.status.error().message, HasSubstr("row 0, columns 32 to 63 hold a weight too large"));
}

TEST(Q8_0, TakesBf16RowsAndFillsMissingRowsWithZeros) {
  std::vector<std::byte> values(2 * 64);
  store(&values[2 * 40], u16{0xc2fe});  // -127 in column 40
  store(&values[2 * 41], u16{0x3fc0});  // 1.5
  const MatrixRows source{
      .type = MatrixRows::Type::kBf16, .codes = values, .scales = {}, .first_row = 0, .rows = 1, .columns = 64};
  std::vector<std::byte> codes(32 * 64, std::byte{0xee});
  std::vector<std::byte> scales(2 * 64, std::byte{0xee});
  SmallBlocks small;
  ASSERT_TRUE(fill_q8_0_tile(source, codes, scales, small));
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const int wanted = i == 1024 + 8 ? -127 : i == 1024 + 9 ? 2 : 0;  // block 1, row 0; 1.5 ties to 2
    ASSERT_EQ(static_cast<i8>(codes[i]), wanted) << i;
  }
  for (std::size_t i = 0; i < scales.size(); i += 2) {
    ASSERT_EQ(load<u16>(&scales[i]), i == 64 ? 0x3c00 : 0) << i;
  }
}

}  // namespace
}  // namespace bolide::convert
