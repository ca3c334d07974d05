#include "app/chat_printer.h"

#include <gtest/gtest.h>

namespace bolide::app {
namespace {

using Kind = text::OutputEvent::Kind;

std::string print_all(TextStyle style, std::initializer_list<text::OutputEvent> events) {
  AnswerPrinter printer(style);
  std::string bytes;
  for (const text::OutputEvent& event : events) bytes += printer.print(event);
  return bytes + printer.finish();
}

TEST(AnswerPrinter, ShowsThinkingDimmedAboveTheAnswer) {
  EXPECT_EQ(print_all(TextStyle::kStyled, {{Kind::kReasoning, "Hm"}, {Kind::kReasoning, "."}, {Kind::kContent, "Yes"}}),
            "\x1b[2mHm\x1b[22m\x1b[2m.\x1b[22m\n\nYes\n");
}

TEST(AnswerPrinter, MarksThinkingWithBracketsWhereNothingCanBeDimmed) {
  EXPECT_EQ(print_all(TextStyle::kPlain, {{Kind::kReasoning, "Hm."}, {Kind::kContent, "Yes"}}),
            "[thinking: Hm.]\n\nYes\n");
}

TEST(AnswerPrinter, ShowsMarkdownOfTheAnswerOnly) {
  EXPECT_EQ(print_all(TextStyle::kStyled, {{Kind::kReasoning, "*a*"}, {Kind::kContent, "*b"}, {Kind::kContent, "*"}}),
            "\x1b[2m*a*\x1b[22m\n\n\x1b[3m*b\x1b[0m\x1b[3m*\x1b[0m\n");
  EXPECT_EQ(print_all(TextStyle::kPlain, {{Kind::kContent, "*b*\n# c"}}), "*b*\n# c\n");
}

TEST(AnswerPrinter, LineEndsOfEveryKindAreLineEnds) {
  EXPECT_EQ(print_all(TextStyle::kPlain, {{Kind::kContent, "a\r"}, {Kind::kContent, "\nb\r\nc\r\n"}}), "a\nb\nc\n");
}

TEST(AnswerPrinter, TextCannotBeShownInAnotherOrder) {
  EXPECT_EQ(print_all(TextStyle::kPlain, {{Kind::kContent, "a\u202Eb\u2066c"}}), "a\uFFFDb\uFFFDc\n");
}

TEST(AnswerPrinter, ClosesAnUnfinishedThought) {
  EXPECT_EQ(print_all(TextStyle::kStyled, {{Kind::kReasoning, "Hm"}}), "\x1b[2mHm\x1b[22m\n");
  EXPECT_EQ(print_all(TextStyle::kPlain, {{Kind::kReasoning, "Hm"}}), "[thinking: Hm]\n");
}

TEST(AnswerPrinter, LeavesOutLineEndsAtTheEdgesOnly) {
  EXPECT_EQ(print_all(TextStyle::kStyled, {{Kind::kReasoning, "\n"},
                                           {Kind::kReasoning, "a\n\n"},
                                           {Kind::kContent, "\n\nb"},
                                           {Kind::kContent, "\n"},
                                           {Kind::kContent, "\nc\n"}}),
            "\x1b[2ma\x1b[22m\n\nb\n\nc\n");
}

TEST(AnswerPrinter, NothingGivesNothing) {
  EXPECT_EQ(print_all(TextStyle::kStyled, {{Kind::kReasoning, ""}, {Kind::kContent, "\n"}}), "");
  EXPECT_EQ(print_all(TextStyle::kPlain, {{Kind::kReasoning, "a"}, {Kind::kContent, "\n"}}), "[thinking: a]\n");
  EXPECT_EQ(print_all(TextStyle::kStyled, {{Kind::kContent, ""}}), "");
}

TEST(AnswerPrinter, TheModelCannotCommandTheTerminal) {
  EXPECT_EQ(print_all(TextStyle::kPlain, {{Kind::kContent,
                                           "a\x1b[2Jb\xC2\x9B"
                                           "c\td\re"}}),
            "a\xEF\xBF\xBD[2Jb\xEF\xBF\xBD"
            "c\td\xEF\xBF\xBD"
            "e\n");
}

}  // namespace
}  // namespace bolide::app
