#include "text/stream_decoder.h"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "text/utf8.h"

namespace bolide::text {
namespace {

std::string whole(std::string_view bytes) {
  Utf8Stream stream;
  std::string text = stream.push(bytes);
  return text + stream.finish();
}

TEST(Utf8Stream, HoldsACharacterUntilItIsWhole) {
  Utf8Stream stream;
  EXPECT_EQ(stream.push("a\xF0"), "a");
  EXPECT_EQ(stream.push("\x9F"), "");
  EXPECT_EQ(stream.push("\x98"), "");
  EXPECT_EQ(stream.push("\x80!"), "😀!");
  EXPECT_EQ(stream.finish(), "");
}

TEST(Utf8Stream, AnIncompleteEndIsOneReplacementCharacterOnce) {
  Utf8Stream stream;
  EXPECT_EQ(stream.push("\xF0\x9F\x98"), "");
  EXPECT_EQ(stream.finish(), "\uFFFD");
  EXPECT_EQ(stream.finish(), "");
}

TEST(Utf8Stream, InvalidBytesAreNotHeld) {
  Utf8Stream stream;
  EXPECT_EQ(stream.push("\x80"), "\uFFFD");
  EXPECT_EQ(stream.push("\xFF"), "\uFFFD");
  EXPECT_EQ(stream.push("\xC0"), "\uFFFD");
  EXPECT_EQ(stream.push("\xE0"), "");
  EXPECT_EQ(stream.push("\x80"), "\uFFFD\uFFFD");  // E0 80 begins no character: two invalid bytes
  EXPECT_EQ(stream.push("\xE2\x82"), "");
  EXPECT_EQ(stream.push("x"), "\uFFFDx");
}

// The example of the Unicode Standard, section 3.9, table 3-8 (one replacement for each maximal subpart).
TEST(Utf8Stream, ReplacesAsTheUnicodeStandardRecommends) {
  EXPECT_EQ(whole("a\xF1\x80\x80\xE1\x80\xC2"
                  "b\x80"
                  "c\x80\xBF"
                  "d"),
            "a\uFFFD\uFFFD\uFFFDb\uFFFDc\uFFFD\uFFFDd");
  EXPECT_EQ(whole("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");            // a surrogate
  EXPECT_EQ(whole("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");  // above U+10FFFF
}

bool is_valid(std::string_view text) {
  while (!text.empty()) {
    const Utf8Char c = first_char(text);
    if (c.length == 0) return false;
    text.remove_prefix(c.length);
  }
  return true;
}

TEST(Utf8Stream, AnyCutsGiveTheTextOfTheWhole) {
  std::mt19937 random(3);
  const std::string parts[] = {"a",        "é",    "中",       "😀",   "\x80",    "\xE2\x82",
                               "\xF0\x9F", "\xED", "\xF4\x90", "\xFF", "\xE0\xA0"};
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (int i = 0; i < 12; ++i) bytes += parts[random() % std::size(parts)];
    Utf8Stream stream;
    std::string text;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t length = 1 + random() % 4;
      const std::string piece = stream.push(std::string_view(bytes).substr(at, length));
      ASSERT_TRUE(is_valid(piece));
      text += piece;
      at += length;
    }
    text += stream.finish();
    ASSERT_EQ(text, whole(bytes));
  }
}

// Every character of Unicode, byte by byte: comes out as it went in, at its last byte.
TEST(Utf8Stream, EveryCharacterPassesUnchanged) {
  for (u32 code_point = 0; code_point < 0x110000; ++code_point) {
    if (code_point >= 0xD800 && code_point < 0xE000) continue;
    std::string bytes;
    append_utf8(bytes, code_point);
    Utf8Stream stream;
    for (std::size_t i = 0; i + 1 < bytes.size(); ++i) ASSERT_EQ(stream.push(bytes.substr(i, 1)), "") << code_point;
    ASSERT_EQ(stream.push(bytes.substr(bytes.size() - 1)), bytes) << code_point;
  }
}

}  // namespace
}  // namespace bolide::text
