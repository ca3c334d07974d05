#include "formats/gguf_header.h"

#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "formats/gguf_bytes.h"
#include "support/allocation_meter.h"

namespace bolide::formats {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

constexpr u32 kF32 = 0;
constexpr u32 kQ8_0 = 8;

TEST(GgufHeader, ReadsTensorsAndGivesThemTheirBytes) {
  const std::string file =
      GgufBytes(2, 1)
          .u32_value("general.alignment", 64)
          .tensor("a", {2, 3}, kF32, 64)
          .tensor("b", {64, 1, 2}, kQ8_0, 128)
          .data(std::string(64, '-') + std::string(24, 'a') + std::string(40, '-') + std::string(136, 'b'), 64)
          .str();
  const Result<GgufHeader> header = parse_gguf(as_bytes(file), "f");
  ASSERT_TRUE(header.ok()) << header.error().message;
  ASSERT_EQ(header->tensors.size(), 2u);
  const GgufTensor& a = header->tensors[0];
  EXPECT_EQ(describe(a), "F32 [2, 3]");
  EXPECT_EQ(as_text(a.data), std::string(24, 'a'));
  EXPECT_EQ(file.substr(a.file_offset, 24), std::string(24, 'a'));
  EXPECT_EQ(a.file_offset % 64, 0u);
  EXPECT_EQ(as_text(header->tensors[1].data), std::string(136, 'b'));
}

TEST(GgufHeader, ReadsEveryTypeOfValue) {
  GgufBytes bytes(0, 17);
  bytes.key("u8", 0).number(u8{200}).key("i8", 1).number(i8{-3}).key("u16", 2).number(u16{60000});
  bytes.key("i16", 3).number(i16{-300}).key("u32", 4).number(u32{4000000000}).key("i32", 5).number(i32{7});
  bytes.key("f32", 6).number(0.25f).key("bool", 7).number(u8{1}).key("text", 8).text("hello");
  bytes.key("u64", 10).number(~u64{0}).key("i64", 11).number(i64{-1}).key("f64", 12).number(1e300);
  bytes.key("list", 9).number(u32{5}).number(u64{2}).number(i32{1}).number(i32{2});
  bytes.key("texts", 9).number(u32{8}).number(u64{3}).text("x").text("").text("yz");
  bytes.key("floats", 9).number(u32{6}).number(u64{1}).number(1.5f);
  bytes.key("lists", 9).number(u32{9}).number(u64{1}).number(u32{0}).number(u64{3}).raw("abc");
  bytes.key("empty", 9).number(u32{8}).number(u64{0});
  const Result<GgufHeader> header = parse_gguf(as_bytes(bytes.str()), "f");
  ASSERT_TRUE(header.ok()) << header.error().message;
  const auto value = [&](std::string_view key) { return *header->find(key); };
  EXPECT_EQ(value("u8").whole(), 200u);
  EXPECT_EQ(value("i8").whole(), std::nullopt);
  EXPECT_EQ(value("i8").number(), -3);
  EXPECT_EQ(value("u16").whole(), 60000u);
  EXPECT_EQ(value("i16").number(), -300);
  EXPECT_EQ(value("u32").whole(), 4000000000u);
  EXPECT_EQ(value("i32").whole(), 7u);
  EXPECT_EQ(value("f32").number(), 0.25);
  EXPECT_EQ(value("f32").whole(), std::nullopt);
  EXPECT_EQ(value("bool").truth(), true);
  EXPECT_EQ(value("text").text(), "hello");
  EXPECT_EQ(value("text").whole(), std::nullopt);
  EXPECT_EQ(value("u64").whole(), ~u64{0});
  EXPECT_EQ(value("i64").whole(), std::nullopt);
  EXPECT_EQ(value("f64").number(), 1e300);
  EXPECT_THAT(value("list").wholes(), Optional(ElementsAre(1, 2)));
  EXPECT_EQ(value("list").whole(), std::nullopt);
  EXPECT_THAT(value("texts").texts(), Optional(ElementsAre("x", "", "yz")));
  EXPECT_EQ(value("texts").wholes(), std::nullopt);
  EXPECT_THAT(value("floats").numbers(), Optional(ElementsAre(1.5)));
  EXPECT_EQ(value("lists").texts(), std::nullopt);
  EXPECT_EQ(value("lists").count, 1u);
  EXPECT_THAT(value("empty").texts(), Optional(ElementsAre()));
  EXPECT_EQ(header->find("none"), nullptr);
}

// A file that must be refused (pitfalls B48), and what the refusal must name.
struct Broken {
  std::string what;
  std::string file;
  std::vector<std::string> named;
};

// One tensor over 64 bytes of data.
Broken with_tensor(std::string what, const std::vector<u64>& dimensions, u32 type, u64 offset,
                   std::vector<std::string> named) {
  named.insert(named.begin(), "bad.weight");
  return {std::move(what), GgufBytes(1).tensor("bad.weight", dimensions, type, offset).data(std::string(64, 'd')).str(),
          std::move(named)};
}

// A count of dimensions in front of one.
std::string dimension_count(u32 count) {
  return GgufBytes(1).text("bad.weight").number(count).number(u64{1}).number(kF32).number(u64{0}).data("dddd").str();
}

std::vector<Broken> broken_tensors() {
  constexpr u64 kHuge = (u64{1} << 63) - 1;
  std::vector<Broken> list = {
      with_tensor("product of dims wraps", {kHuge, 2}, kF32, 0, {"2^64"}),
      with_tensor("product wraps to 64", {(u64{1} << 62) + 4, 4}, kF32, 0, {"2^64"}),
      with_tensor("product of dims is huge", {kHuge, 1}, 24, 0, {"9223372036854775807 bytes"}),
      with_tensor("blocks times bytes wraps", {u64{1} << 63, 1}, kQ8_0, 0, {"bytes"}),
      with_tensor("2^42+1", {(u64{1} << 42) + 1}, kF32, 0, {"4398046511105"}),
      with_tensor("2^42+1 squared", {(u64{1} << 42) + 1, (u64{1} << 42) + 1}, kF32, 0, {"2^64"}),
      with_tensor("a dim of 0", {8, 0}, kF32, 0, {"[8, 0] is 0"}),
      with_tensor("row is no whole block", {33}, kQ8_0, 0, {"multiple of 32"}),
      with_tensor("Q4_K of half a block", {128}, 12, 0, {"multiple of 256"}),
      with_tensor("end beyond the file", {17}, kF32, 0, {"68 bytes at byte 0", "64 bytes of data", "cat PIECE1"}),
      with_tensor("offset beyond the file", {1}, kF32, 64, {"byte 64"}),
      with_tensor("offset wraps", {1}, kF32, ~u64{0} - 31, {"bytes"}),
      with_tensor("offset out of line", {1}, kF32, 4, {"offset 4", "alignment 32"}),
      with_tensor("IQ2_XXS", {256}, 16, 0, {"IQ2_XXS is not supported", "MXFP4 file"}),
      with_tensor("Q2_K", {256}, 10, 0, {"Q2_K is not supported", "MXFP4 file"}),
      with_tensor("unknown type", {8}, 12345, 0, {"type 12345 is unknown"}),
      {"no dims", dimension_count(0), {"bad.weight", "0 dimensions"}},
      {"5 dims", dimension_count(5), {"bad.weight", "5 dimensions"}},
      {"1,000,000 dims", dimension_count(1'000'000), {"bad.weight", "1000000 dimensions"}},
  };
  const auto tensors = [&](std::string what, std::string file, std::vector<std::string> named) {
    list.push_back({std::move(what), std::move(file), std::move(named)});
  };
  tensors("name twice",
          GgufBytes(2).tensor("a", {1}, kF32, 0).tensor("a", {1}, kF32, 32).data(std::string(64, 'd')).str(),
          {"tensor a: its name is there twice"});
  tensors("overlap",
          GgufBytes(2).tensor("a", {10}, kF32, 0).tensor("b", {1}, kF32, 32).data(std::string(64, 'd')).str(),
          {"tensor b", "inside that of tensor a"});
  tensors("control character in a name", GgufBytes(1).tensor("a\x1b[2J", {1}, kF32, 0).data("dddd").str(),
          {"\"a?[2J\""});
  tensors("empty name", GgufBytes(1).tensor("", {1}, kF32, 0).data("dddd").str(), {"tensor 0 of 1"});
  tensors("name of 2^63 bytes", GgufBytes(1).number(u64{1} << 63).raw("abc").str(),
          {"tensor 0 of 1", "9223372036854775808 bytes"});
  return list;
}

std::vector<Broken> broken_values() {
  const auto value = [](u32 type, auto... rest) {
    GgufBytes bytes(0, 1);
    bytes.key("some.key", type);
    (bytes.number(rest), ...);
    return bytes.str();
  };
  std::string nested;
  for (int i = 0; i < 100'000; ++i) nested += GgufBytes().number(u32{9}).number(u64{1}).str().substr(24);
  return {
      {"unknown type", value(13, u64{0}), {"some.key", "type 13 is unknown"}},
      {"text of 2^63 bytes", value(8, u64{1} << 63), {"some.key", "9223372036854775808 bytes"}},
      {"array of unknown type", value(9, u32{99}, u64{1}, u64{0}), {"some.key", "type 99"}},
      {"array of 2^60", value(9, u32{0}, u64{1} << 60, u64{0}), {"some.key", "1152921504606846976 elements"}},
      {"array whose bytes wrap", value(9, u32{10}, u64{1} << 61, u64{0}), {"some.key", "elements"}},
      {"texts longer than the file", value(9, u32{8}, u64{1}, u64{1000}), {"some.key", "1000 bytes"}},
      {"array cut short", value(9, u32{4}, u64{3}, u64{0}), {"some.key", "3 elements"}},
      {"arrays in arrays", GgufBytes(0, 1).key("some.key", 9).raw(nested).str(), {"some.key", "deep"}},
      {"key twice",
       GgufBytes(0, 2).u32_value("some.key", 1).u32_value("some.key", 1).str(),
       {"some.key", "there twice"}},
      {"key of 2^63 bytes", GgufBytes(0, 1).number(u64{1} << 63).str(), {"metadata value 0 of 1"}},
      {"alignment 0", GgufBytes(0, 1).u32_value("general.alignment", 0).str(), {"general.alignment", "is 0"}},
      {"alignment 48", GgufBytes(0, 1).u32_value("general.alignment", 48).str(), {"general.alignment", "is 48"}},
      {"alignment 2^31", GgufBytes(0, 1).u32_value("general.alignment", 1U << 31).str(), {"general.alignment"}},
      {"alignment is text", GgufBytes(0, 1).key("general.alignment", 8).text("32").str(), {"no whole number"}},
      {"2^63 values", GgufBytes(0, u64{1} << 63).str(), {"metadata value 0 of 9223372036854775808"}},
      {"2^63 tensors", GgufBytes(u64{1} << 63, 0).str(), {"tensor 0 of 9223372036854775808"}},
  };
}

std::vector<Broken> broken_starts() {
  return {
      {"empty", "", {"not a GGUF file"}},
      {"three bytes", "GGU", {"not a GGUF file"}},
      {"another format", std::string(1000, 'x'), {"begins with \"xxxx\"", "joined with the first"}},
      {"version 2", GgufBytes(0, 0, 2).str(), {"version 2"}},
      {"other byte order", GgufBytes(0, 0, 0x03000000).str(), {"version 50331648"}},
  };
}

class BrokenGguf : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenGguf, IsRefusedNamingThePlaceWithoutLargeAllocations) {
  const Broken& broken = GetParam();
  const test::AllocationMeter meter;
  const Result<GgufHeader> header = parse_gguf(as_bytes(broken.file), "folder/file");
  EXPECT_LT(meter.bytes(), 64'000u);
  ASSERT_FALSE(header.ok());
  EXPECT_THAT(header.error().message, HasSubstr("folder/file: "));
  for (const std::string& named : broken.named) EXPECT_THAT(header.error().message, HasSubstr(named));
  EXPECT_LT(header.error().message.size(), 1000u);
}

std::string test_name(const ::testing::TestParamInfo<Broken>& info) {
  std::string text = info.param.what;
  std::ranges::replace_if(text, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return text;
}
INSTANTIATE_TEST_SUITE_P(Tensors, BrokenGguf, ::testing::ValuesIn(broken_tensors()), test_name);
INSTANTIATE_TEST_SUITE_P(Values, BrokenGguf, ::testing::ValuesIn(broken_values()), test_name);
INSTANTIATE_TEST_SUITE_P(Starts, BrokenGguf, ::testing::ValuesIn(broken_starts()), test_name);

TEST(GgufHeader, RefusesAFileCutAtAnyByte) {
  const std::string whole = GgufBytes(1, 2)
                                .u32_value("general.alignment", 32)
                                .key("texts", 9)
                                .number(u32{8})
                                .number(u64{2})
                                .text("ab")
                                .text("c")
                                .tensor("t", {32, 2}, kQ8_0, 0)
                                .data(std::string(68, 'd'))
                                .str();
  ASSERT_TRUE(parse_gguf(as_bytes(whole), "f").ok());
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    const Result<GgufHeader> header = parse_gguf(as_bytes(whole.substr(0, bytes)), "f");
    ASSERT_FALSE(header.ok()) << bytes;
  }
}

}  // namespace
}  // namespace bolide::formats
