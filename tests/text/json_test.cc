#include "text/json.h"

#include <gtest/gtest.h>
#include <string>

namespace bolide::text {
namespace {

std::string dumped(std::string_view json) {
  const Result<Json> value = parse_json_text(json, "x");
  return value ? dump_json(*value) : value.error().message;
}

TEST(Json, KeysKeepTheirOrderAndNumbersTheirSpelling) {
  EXPECT_EQ(dumped(R"({"b":1.0,"a":[1,-0,1e3,1E-2,9007199254740993,123456789012345678901234567890],"":{}})"),
            R"({"b": 1.0, "a": [1, -0, 1e3, 1E-2, 9007199254740993, 123456789012345678901234567890], "": {}})");
  EXPECT_EQ(dumped(" [ true , false , null , [ ] ] "), "[true, false, null, []]");
}

TEST(Json, StringsAreWrittenAsPythonDoes) {
  EXPECT_EQ(dumped(R"("\u00e9\/\"\\\b\f\n\r\t\u0001\u007f")"), "\"é/\\\"\\\\\\b\\f\\n\\r\\t\\u0001\x7f\"");
  EXPECT_EQ(dumped(R"("\ud83d\ude00 中")"), "\"😀 中\"");
}

TEST(Json, HalfASurrogatePairBecomesAReplacementMark) {
  EXPECT_EQ(dumped(R"("\ud83d")"), "\"\uFFFD\"");
  EXPECT_EQ(dumped(R"("\ud83dx\ude00")"), "\"\uFFFDx\uFFFD\"");
  EXPECT_EQ(dumped(R"("\ud83d\u0041")"), "\"\uFFFDA\"");
}

TEST(Json, ARepeatedKeyTakesTheLastValueInTheFirstPlace) {
  EXPECT_EQ(dumped(R"({"a": 1, "b": 2, "a": 3, "c": 4, "b": 5, "a": 6})"), R"({"a": 6, "b": 5, "c": 4})");
}

TEST(Json, B43BrokenTextsAreRefusedByPlace) {
  for (const std::string_view bad :
       {"",   "{:",      "{",         "[1,",    "[1,]", "{\"a\":1,}", "{\"a\"}",  "{a: 1}",       "01",
        "1.", ".5",      "+1",        "-",      "1e",   "NaN",        "Infinity", "tru",          "nul",
        "\"", "\"\\x\"", "\"\\u12\"", "\"\n\"", "1 2",  "[]]",        "\"\xFF\"", "\"\xE4\xB8\"", "'a'"}) {
    const Result<Json> value = parse_json_text(bad, "body");
    ASSERT_FALSE(value) << bad;
    EXPECT_TRUE(value.error().message.starts_with("body: no valid JSON at byte ")) << value.error().message;
  }
  EXPECT_EQ(parse_json_text("[1, x]", "body").error().message, "body: no valid JSON at byte 4: a value is expected");
}

TEST(Json, B46NestingIsBounded) {
  for (const int depth : {10, 256}) {
    EXPECT_TRUE(parse_json_text(std::string(depth, '[') + std::string(depth, ']'), "x")) << depth;
  }
  for (const int depth : {257, 100'000}) {
    EXPECT_FALSE(parse_json_text(std::string(depth, '[') + std::string(depth, ']'), "x")) << depth;
    std::string objects;
    for (int i = 0; i < depth; ++i) objects += "{\"a\":";
    EXPECT_FALSE(parse_json_text(objects, "x")) << depth;
  }
}

TEST(Json, ManyKeysAreReadInReasonableTime) {  // quadratic work would take minutes
  std::string json = "{";
  for (int i = 0; i < 200'000; ++i) json += "\"key" + std::to_string(i) + "\": 1, ";
  json += "\"key0\": 2}";
  const Result<Json> value = parse_json_text(json, "x");
  ASSERT_TRUE(value);
  EXPECT_EQ(value->members.size(), 200'000U);
  EXPECT_EQ(value->members[0].value.text, "2");
}

TEST(Json, EqualityIsOfMeaning) {
  const auto equal = [](std::string_view a, std::string_view b) {
    return json_equal(*parse_json_text(a, "a"), *parse_json_text(b, "b"));
  };
  EXPECT_TRUE(equal(R"({"a": 1.0, "b": [true, null]})", R"({"b": [true, null], "a": 1})"));
  EXPECT_TRUE(equal("1e2", "100"));
  EXPECT_TRUE(equal("-0", "0"));
  EXPECT_TRUE(equal(R"("a\/b")", R"("a/b")"));
  EXPECT_FALSE(equal("9007199254740993", "9007199254740992"));
  EXPECT_FALSE(equal("10", "1"));
  EXPECT_FALSE(equal("true", "false"));
  EXPECT_FALSE(equal(R"({"a": 1})", R"({"a": 1, "b": 1})"));
  EXPECT_FALSE(equal(R"({"a": 1})", R"({"b": 1})"));
  EXPECT_FALSE(equal("[1, 2]", "[2, 1]"));
  EXPECT_FALSE(equal("1", "\"1\""));
}

TEST(Json, IntegersAreReadExactly) {
  EXPECT_EQ(parse_json_text("-42", "x")->as_integer(), -42);
  EXPECT_EQ(parse_json_text("4.0", "x")->as_integer(), std::nullopt);
  EXPECT_EQ(parse_json_text("9223372036854775808", "x")->as_integer(), std::nullopt);
}

}  // namespace
}  // namespace bolide::text
