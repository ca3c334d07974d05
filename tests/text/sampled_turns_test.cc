#include "text/sampled_turns.h"

#include <gtest/gtest.h>
#include <string>

namespace bolide::text {
namespace {

// How turns enter a prompt is tested in chat_test.cc.

using Reasoning = SampledTurns::Reasoning;

ToolCall call(std::string id, std::string arguments = "{}") {
  return {std::move(id), "f", parse_arguments(Json::string(std::move(arguments)))};
}
SampledTurn turn(u32 mark, std::string content, std::string reasoning = "", std::vector<ToolCall> calls = {}) {
  return {{mark}, 0, std::move(reasoning), std::move(content), std::move(calls)};
}
Message message(std::string content, std::string reasoning = "", std::vector<ToolCall> calls = {}) {
  Message made = Message::of(Role::kAssistant, std::move(content));
  made.reasoning = std::move(reasoning);
  made.calls = std::move(calls);
  return made;
}
u32 mark(const SampledTurn* turn) {
  return turn == nullptr ? 0 : turn->ids.at(0);
}

TEST(SampledTurns, CallsAreFoundByIdAndMeaning) {
  SampledTurns turns;
  turns.remember(turn(1, "x", "r", {call("a", R"({"n": 1.0, "m": 2})"), call("b")}));
  const auto found = [&](const Message& sent) { return mark(turns.find(sent, Reasoning::kShown)); };
  EXPECT_EQ(found(message("x ", "r\n", {call("a", R"({"m":2,"n":1})"), call("b")})), 1U);
  EXPECT_EQ(found(message("x", "", {call("a", R"({"m":2,"n":1})"), call("b")})), 1U);  // reasoning not sent back
  EXPECT_EQ(found(message("x", "edited", {call("a", R"({"m":2,"n":1})"), call("b")})), 0U);
  EXPECT_EQ(found(message("edited", "r", {call("a", R"({"m":2,"n":1})"), call("b")})), 0U);
  EXPECT_EQ(found(message("x", "r", {call("a", R"({"m":2,"n":3})"), call("b")})), 0U);
  EXPECT_EQ(found(message("x", "r", {call("a", R"({"m":2,"n":1})")})), 0U);
  EXPECT_EQ(found(message("x", "r", {call("other")})), 0U);
}

TEST(SampledTurns, TextsAreFoundByBothOrTheAnswerAlone) {
  SampledTurns turns;
  turns.remember(turn(1, "Done.", "one"));
  turns.remember(turn(2, "Done.", "two"));
  EXPECT_EQ(mark(turns.find(message("Done.", "one"), Reasoning::kShown)), 1U);
  EXPECT_EQ(mark(turns.find(message("Done.", "two"), Reasoning::kShown)), 2U);
  EXPECT_EQ(turns.find(message("Done."), Reasoning::kShown), nullptr);
  EXPECT_EQ(mark(turns.find(message("Done."), Reasoning::kLeftOut)), 2U);
  EXPECT_EQ(turns.find(message("Undone."), Reasoning::kLeftOut), nullptr);
}

TEST(SampledTurns, ATurnTakesThePlaceOfItsEqual) {
  SampledTurns turns;
  turns.remember(turn(1, "a", "r"));
  turns.remember(turn(2, "a", "r"));
  EXPECT_EQ(turns.size(), 1U);
  EXPECT_EQ(mark(turns.find(message("a", "r"), Reasoning::kShown)), 2U);
}

TEST(SampledTurns, TheLongestUnusedIsForgotten) {
  SampledTurns turns({.turns = 2, .bytes = 1 << 20});
  turns.remember(turn(1, "", "", {call("a")}));
  turns.remember(turn(2, "", "", {call("b")}));
  EXPECT_EQ(mark(turns.find(message("", "", {call("a")}), Reasoning::kShown)), 1U);
  turns.remember(turn(3, "", "", {call("c")}));
  EXPECT_EQ(turns.size(), 2U);
  EXPECT_EQ(mark(turns.find(message("", "", {call("a")}), Reasoning::kShown)), 1U);
  EXPECT_EQ(turns.find(message("", "", {call("b")}), Reasoning::kShown), nullptr);
}

TEST(SampledTurns, BytesAreBounded) {
  SampledTurns turns({.turns = 1000, .bytes = 20'000});
  for (u32 i = 1; i <= 200; ++i) {
    turns.remember(turn(i, std::string(500, 'x') + std::to_string(i), "r"));
    ASSERT_LE(turns.size_bytes(), 20'000U);
  }
  EXPECT_GT(turns.size(), 5U);
  EXPECT_EQ(mark(turns.find(message(std::string(500, 'x') + "200", "r"), Reasoning::kShown)), 200U);
  turns.remember(turn(1, std::string(30'000, 'y')));  // alone too large: nothing else is lost for it
  EXPECT_GT(turns.size(), 5U);
  SampledTurns none({.turns = 0, .bytes = 100});
  none.remember(turn(1, "a"));
  EXPECT_EQ(none.size(), 0U);
  EXPECT_EQ(none.size_bytes(), 0U);
}

}  // namespace
}  // namespace bolide::text
