#include "text/token_parser.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

#include "text/nano_tokenizer.h"
#include "text/parsed.h"

namespace bolide::text {
namespace {

u32 control(std::string_view name) {
  return *nano_tokenizer().find_added_token(name);
}

// Text as the plain tokens that write it, or one control token.
std::vector<u32> plain(std::string_view text) {
  return nano_tokenizer().encode(text, AddedTokens::kIgnore);
}

std::string parsed(const std::vector<std::vector<u32>>& parts, OutputParserOptions options = {}) {
  TokenParser parser(nano_tokenizer(), std::move(options));
  Parsed whole;
  for (const std::vector<u32>& part : parts) {
    for (const u32 id : part) whole.output.add(parser.push(id));
  }
  whole.output.add(parser.finish(OutputEnd::kLimit));
  return whole.output.reasoning + "|" + whole.output.content + "|" + whole.calls();
}

TEST(TokenParser, OnlyTheTokenEndsTheReasoning) {
  EXPECT_EQ(parsed({plain("a</think>b 😀"), {control("</think>")}, plain("c</think>d 中")}),
            "a</think>b 😀|c</think>d 中|");
  EXPECT_EQ(parsed({plain("a\n"), {control("</think>")}, plain("b")}), "a|b|");
}

TEST(TokenParser, OtherThinkingTokensAreAbsorbedOrText) {
  EXPECT_EQ(parsed({{control("<think>")}, plain("a"), {control("<think>")}, plain("b")}), "a<think>b||");
  EXPECT_EQ(parsed({plain("a"), {control("</think>")}, plain("b")}, {.thinking = false}), "|ab|");
}

TEST(TokenParser, AMarkerOfAnotherTurnEndsTheOutput) {
  for (const std::string_view marker :
       {"<｜end▁of▁sentence｜>", "<｜User｜>", "<｜System｜>", "<｜begin▁of▁sentence｜>"}) {
    EXPECT_EQ(parsed({plain("a"), {control(marker)}, plain("b")}, {.thinking = false}), "|a|");
    const std::string written = fmt::format("a{}b", marker);
    EXPECT_EQ(parsed({plain(written)}, {.thinking = false}), fmt::format("|{}|", written));
  }
}

TEST(TokenParser, ACharacterCutByAControlTokenIsReplacedInItsOwnChannel) {
  EXPECT_EQ(parsed({plain("\xF0"), {control("</think>")}, plain("b")}), "\uFFFD|b|");
}

TEST(TokenParser, ControlTokensInsideAValueAreItsText) {
  const std::vector<u32> opening = nano_tokenizer().encode(
      kTO + invoke("read") + "<｜DSML｜ parameter name=\"path\" string=\"true\">x", AddedTokens::kMatch);
  const std::vector<u32> closing =
      nano_tokenizer().encode(std::string("y</｜DSML｜ parameter>\n") + kIC + kTC, AddedTokens::kMatch);
  const std::vector<u32> tags = {control("</think>"), control("<think>")};
  EXPECT_EQ(parsed({opening, tags, closing}, {.thinking = false}), "||read{\"path\": \"x</think><think>y\"};");
  // The end token ends even there.
  EXPECT_EQ(parsed({opening, {control("<｜end▁of▁sentence｜>")}, closing}, {.thinking = false}), "||");
}

TEST(TokenParser, AHeldBeginningOfATagIsTextBeforeAControlToken) {
  EXPECT_EQ(parsed({plain("a <"), {control("</think>")}, plain("b <｜"), {control("<｜end▁of▁sentence｜>")}}),
            "a <|b <｜|");
}

}  // namespace
}  // namespace bolide::text
