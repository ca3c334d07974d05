#include "text/splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace bolide::text {
namespace {

using testing::ElementsAre;

std::vector<std::string> pieces(std::string_view text) {
  std::vector<std::string> result;
  Splitter splitter(text);
  for (std::string_view piece = splitter.next(); !piece.empty(); piece = splitter.next()) result.emplace_back(piece);
  return result;
}

TEST(Splitter, EmptyTextHasNoPieces) {
  EXPECT_THAT(pieces(""), ElementsAre());
}

TEST(Splitter, WordsTakeOneBlankBeforeThem) {
  EXPECT_THAT(pieces("hello world"), ElementsAre("hello", " world"));
  EXPECT_THAT(pieces("   three"), ElementsAre("  ", " three"));
  EXPECT_THAT(pieces("\ttab\xC2\xA0nbsp"), ElementsAre("\ttab", "\xC2\xA0nbsp"));
}

TEST(Splitter, NumbersComeInThrees) {
  EXPECT_THAT(pieces("1"), ElementsAre("1"));
  EXPECT_THAT(pieces("123"), ElementsAre("123"));
  EXPECT_THAT(pieces("1234"), ElementsAre("123", "4"));
  EXPECT_THAT(pieces("123456789"), ElementsAre("123", "456", "789"));
  EXPECT_THAT(pieces("½٣Ⅷ4"), ElementsAre("½٣Ⅷ", "4"));
}

TEST(Splitter, ABlankBeforeANumberStandsAlone) {
  EXPECT_THAT(pieces("Hello, world! 1234"), ElementsAre("Hello", ",", " world", "!", " ", "123", "4"));
  EXPECT_THAT(pieces("a  1"), ElementsAre("a", "  ", "1"));  // the number ends the text that the lookahead sees
}

TEST(Splitter, ChineseAndJapaneseAreCutFromOtherLetters) {
  EXPECT_THAT(pieces("abc中文def"), ElementsAre("abc", "中文", "def"));
  EXPECT_THAT(pieces("日本語でテスト한국어"), ElementsAre("日本語でテスト", "한국어"));
  EXPECT_THAT(pieces("x 中"), ElementsAre("x", " ", "中"));  // the blank cannot join it
  EXPECT_THAT(pieces("a  中"), ElementsAre("a", "  ", "中"));
}

TEST(Splitter, TheChineseRangeEndsWhereTheOfficialPatternEnds) {
  EXPECT_THAT(pieces("龥龦"), ElementsAre("龥", "龦"));  // U+9FA5 | U+9FA6
  EXPECT_THAT(pieces("㐀一"), ElementsAre("㐀", "一"));  // U+3400 | U+4E00
  EXPECT_THAT(pieces("ㇰア"), ElementsAre("ㇰ", "ア"));  // U+31F0 | U+30A2
  EXPECT_THAT(pieces("　あ"), ElementsAre("　", "あ"));  // ideographic space
}

TEST(Splitter, PunctuationInsideTheChineseRangeIsCutAgain) {
  EXPECT_THAT(pieces("ア・イ"), ElementsAre("ア", "・", "イ"));
  EXPECT_THAT(pieces("カー゛゜"), ElementsAre("カー", "゛゜"));
}

TEST(Splitter, AnUnassignedCodePointInTheChineseRangeJoinsTheWordAfterIt) {
  EXPECT_THAT(pieces("あ\xE3\x81\x80あ"), ElementsAre("あ", "\xE3\x81\x80あ"));  // U+3040
  EXPECT_THAT(pieces("\xE3\x81\x80\xE3\x81\x80x"), ElementsAre("\xE3\x81\x80\xE3\x81\x80", "x"));
}

TEST(Splitter, AsciiPunctuationTakesAsciiLettersOnly) {
  EXPECT_THAT(pieces("don't #include"), ElementsAre("don", "'t", " #", "include"));
  EXPECT_THAT(pieces("#include"), ElementsAre("#include"));
  EXPECT_THAT(pieces(".écrit"), ElementsAre(".", "écrit"));
  EXPECT_THAT(pieces("'sé"), ElementsAre("'s", "é"));
  EXPECT_THAT(pieces("~x--y"), ElementsAre("~x", "--", "y"));
  EXPECT_THAT(pieces("“x”"), ElementsAre("“", "x", "”"));
}

TEST(Splitter, PunctuationTakesABlankBeforeAndLineEndsAfter) {
  EXPECT_THAT(pieces("a ==\n\nb"), ElementsAre("a", " ==\n\n", "b"));
  EXPECT_THAT(pieces(";\r\n \n"), ElementsAre(";\r\n", " \n"));
  EXPECT_THAT(pieces("\t{"), ElementsAre("\t", "{"));  // only U+0020 joins punctuation
  EXPECT_THAT(pieces("  €5"), ElementsAre(" ", " €", "5"));
}

TEST(Splitter, WhiteSpaceEndsAtItsLastLineEnd) {
  EXPECT_THAT(pieces("a \n \n  b"), ElementsAre("a", " \n \n", " ", " b"));
  EXPECT_THAT(pieces("a\n\n\n"), ElementsAre("a", "\n\n\n"));
  EXPECT_THAT(pieces("\r\n\r\n x"), ElementsAre("\r\n\r\n", " x"));
  EXPECT_THAT(pieces("x   "), ElementsAre("x", "   "));
  EXPECT_THAT(pieces("\nx"), ElementsAre("\n", "x"));  // a line end does not join a word
}

TEST(Splitter, EveryKindOfWhiteSpaceCounts) {
  for (const char* space :
       {"\t", "\v", "\f", " ", "\xC2\x85", "\xC2\xA0", "\xE1\x9A\x80", "\xE2\x80\x80", "\xE2\x80\x8A", "\xE2\x80\xA8",
        "\xE2\x80\xA9", "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80"}) {
    const std::string s = space;
    EXPECT_THAT(pieces("1" + s + s + s + "x"), ElementsAre("1", s + s, s + "x")) << s;
  }
}

TEST(Splitter, MarksBelongToWordsAndMayBeginOne) {
  EXPECT_THAT(pieces("e\xCC\x81 o\xCC\x88\xCC\xA3"), ElementsAre("e\xCC\x81", " o\xCC\x88\xCC\xA3"));
  EXPECT_THAT(pieces("-\xCC\x81"), ElementsAre("-", "\xCC\x81"));
  EXPECT_THAT(pieces("नमस्ते"), ElementsAre("नमस्ते"));
}

TEST(Splitter, EmojiWithJoinersFallApartAsTheOfficialRulesSay) {
  // A joiner is a format character: no class of its own, so it stands alone between symbols; U+FE0F is a mark.
  EXPECT_THAT(pieces("👩\u200D👧"), ElementsAre("👩", "\u200D", "👧"));
  EXPECT_THAT(pieces("👍🏽"), ElementsAre("👍🏽"));
  EXPECT_THAT(pieces("❤\uFE0F\u200D🔥"), ElementsAre("❤", "\uFE0F", "\u200D", "🔥"));
}

TEST(Splitter, OfCharactersThatNothingMatchesTheLastJoinsAWord) {
  EXPECT_THAT(pieces("\x01\x01\x01"
                     "a"),
              ElementsAre("\x01\x01",
                          "\x01"
                          "a"));
  EXPECT_THAT(pieces("\x01\x02 "), ElementsAre("\x01\x02", " "));
  EXPECT_THAT(pieces("a\x01+"), ElementsAre("a", "\x01", "+"));
}

// Left out of the comparison with the independent tokenizer; this is what we do (White_Space of Unicode 15.0).
TEST(Splitter, NextLineIsWhiteSpaceAndTheByteOrderMarkIsNot) {
  EXPECT_THAT(pieces("a\u0085\u0085"
                     "b"),
              ElementsAre("a", "\u0085",
                          "\u0085"
                          "b"));
  EXPECT_THAT(pieces("a\u0085\n"), ElementsAre("a", "\u0085\n"));
  EXPECT_THAT(pieces("\uFEFF\uFEFF"
                     "a"),
              ElementsAre("\uFEFF",
                          "\uFEFF"
                          "a"));
  EXPECT_THAT(pieces("\uFEFF +"), ElementsAre("\uFEFF", " +"));
  EXPECT_THAT(pieces(" \uFEFF\n"), ElementsAre(" ", "\uFEFF", "\n"));
}

TEST(Splitter, CodePointsUnassignedInUnicode15HaveNoClass) {
  const std::string later = "\xF0\xAE\xAF\xB0";  // U+2EBF0, a letter since 15.1
  EXPECT_THAT(pieces(later + later + "a"), ElementsAre(later, later + "a"));
  EXPECT_THAT(pieces("a" + later), ElementsAre("a", later));
}

TEST(Splitter, AnInvalidByteIsAPieceAndEndsTheTextAroundIt) {
  EXPECT_THAT(pieces("a\xFF"
                     "b"),
              ElementsAre("a", "\xFF", "b"));
  EXPECT_THAT(pieces("  \xFF"), ElementsAre("  ", "\xFF"));
  EXPECT_THAT(pieces("\xE2\x82"), ElementsAre("\xE2", "\x82"));                          // cut short
  EXPECT_THAT(pieces("\xED\xA0\x80"), ElementsAre("\xED", "\xA0", "\x80"));              // a surrogate
  EXPECT_THAT(pieces("\xC0\x80"), ElementsAre("\xC0", "\x80"));                          // overlong
  EXPECT_THAT(pieces("\xF4\x90\x80\x80"), ElementsAre("\xF4", "\x90", "\x80", "\x80"));  // above U+10FFFF
}

}  // namespace
}  // namespace bolide::text
