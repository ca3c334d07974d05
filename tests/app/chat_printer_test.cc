#include "app/chat_printer.h"

#include <gtest/gtest.h>

namespace bolide::app {
namespace {

using Channel = text::OutputPiece::Channel;

std::string print_all(TextStyle style, std::initializer_list<text::OutputPiece> pieces) {
  AnswerPrinter printer(style);
  std::string bytes;
  for (const text::OutputPiece& piece : pieces) bytes += printer.print(piece);
  return bytes + printer.finish();
}

TEST(AnswerPrinter, ShowsThinkingDimmedAboveTheAnswer) {
  EXPECT_EQ(print_all(TextStyle::kStyled,
                      {{Channel::kReasoning, "Hm"}, {Channel::kReasoning, "."}, {Channel::kAnswer, "Yes"}}),
            "\x1b[2mHm\x1b[22m\x1b[2m.\x1b[22m\n\nYes\n");
}

TEST(AnswerPrinter, MarksThinkingWithBracketsWhereNothingCanBeDimmed) {
  EXPECT_EQ(print_all(TextStyle::kPlain, {{Channel::kReasoning, "Hm."}, {Channel::kAnswer, "Yes"}}),
            "[thinking: Hm.]\n\nYes\n");
}

TEST(AnswerPrinter, ClosesAnUnfinishedThought) {
  EXPECT_EQ(print_all(TextStyle::kStyled, {{Channel::kReasoning, "Hm"}}), "\x1b[2mHm\x1b[22m\n");
  EXPECT_EQ(print_all(TextStyle::kPlain, {{Channel::kReasoning, "Hm"}}), "[thinking: Hm]\n");
}

TEST(AnswerPrinter, LeavesOutLineEndsAtTheEdgesOnly) {
  EXPECT_EQ(print_all(TextStyle::kStyled, {{Channel::kReasoning, "\n"},
                                           {Channel::kReasoning, "a\n\n"},
                                           {Channel::kAnswer, "\n\nb"},
                                           {Channel::kAnswer, "\n"},
                                           {Channel::kAnswer, "\nc\n"}}),
            "\x1b[2ma\x1b[22m\n\nb\n\nc\n");
}

TEST(AnswerPrinter, NothingGivesNothing) {
  EXPECT_EQ(print_all(TextStyle::kStyled, {{Channel::kReasoning, ""}, {Channel::kAnswer, "\n"}}), "");
  EXPECT_EQ(print_all(TextStyle::kPlain, {{Channel::kReasoning, "a"}, {Channel::kAnswer, "\n"}}), "[thinking: a]\n");
  EXPECT_EQ(print_all(TextStyle::kStyled, {{Channel::kAnswer, ""}}), "");
}

TEST(AnswerPrinter, TheModelCannotCommandTheTerminal) {
  EXPECT_EQ(print_all(TextStyle::kPlain, {{Channel::kAnswer,
                                           "a\x1b[2Jb\xC2\x9B"
                                           "c\td\re"}}),
            "a\xEF\xBF\xBD[2Jb\xEF\xBF\xBD"
            "c\td\xEF\xBF\xBD"
            "e\n");
}

}  // namespace
}  // namespace bolide::app
