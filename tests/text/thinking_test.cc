#include "text/thinking.h"

#include <gtest/gtest.h>
#include <string>

#include "text/nano_tokenizer.h"

namespace bolide::text {
namespace {

// Reasoning and answer of an output, as "reasoning|answer".
std::string split(std::string_view output, bool thinking) {
  ThinkingSplitter splitter(nano_tokenizer(), thinking);
  std::string reasoning;
  std::string answer;
  auto take = [&](const OutputPiece& piece) {
    (piece.channel == OutputPiece::Channel::kReasoning ? reasoning : answer) += piece.text;
  };
  for (const u32 id : nano_tokenizer().encode(output, AddedTokens::kMatch)) take(splitter.push(id));
  take(splitter.finish());
  return reasoning + "|" + answer;
}

TEST(ThinkingSplitter, TheClosingTagEndsTheReasoning) {
  EXPECT_EQ(split("Hm. 😀</think>Hi 中文", true), "Hm. 😀|Hi 中文");
  EXPECT_EQ(split("</think>Hi", true), "|Hi");
  EXPECT_EQ(split("never closed", true), "never closed|");
}

TEST(ThinkingSplitter, OtherTagsAreDropped) {
  EXPECT_EQ(split("<think>Hm.</think>Hi</think> there", true), "Hm.|Hi there");
  EXPECT_EQ(split("Hi</think> there", false), "|Hi there");
}

TEST(ThinkingSplitter, TheTextOfATagIsNoTag) {
  ThinkingSplitter splitter(nano_tokenizer(), true);
  std::string text;
  for (const u32 id : nano_tokenizer().encode("a</think>b", AddedTokens::kIgnore)) {
    const OutputPiece piece = splitter.push(id);
    EXPECT_EQ(piece.channel, OutputPiece::Channel::kReasoning);
    text += piece.text;
  }
  EXPECT_EQ(text, "a</think>b");
}

TEST(ThinkingSplitter, ACharacterCutByTheTagIsReplacedInItsOwnChannel) {
  ThinkingSplitter splitter(nano_tokenizer(), true);
  EXPECT_EQ(splitter.push(nano_tokenizer().encode("\xF0", AddedTokens::kIgnore).at(0)).text, "");
  const OutputPiece piece = splitter.push(*nano_tokenizer().find_added_token("</think>"));
  EXPECT_EQ(piece.channel, OutputPiece::Channel::kReasoning);
  EXPECT_EQ(piece.text, "\uFFFD");
}

}  // namespace
}  // namespace bolide::text
