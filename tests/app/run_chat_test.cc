// `bolide run` as a chat: the program itself on the nano model, driven through a terminal.
#include <cstring>
#include <gmock/gmock.h>

#include "support/nano.h"
#include "support/program_on_terminal.h"

namespace bolide::app {
namespace {

using test::ProgramOnTerminal;
using test::ProgramResult;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kPrompt = "> \x1b[22m\r\x1b[2C";  // and nothing typed behind it
constexpr std::string_view kControlC = "\x03";
constexpr std::string_view kControlD = "\x04";
constexpr std::string_view kStatistics = "tokens/s";  // the line below an answer

// Nano's greedy answer without thinking never ends.
const std::string kEndless = "Count from 1 to 1000.\r";

std::vector<std::string> chat_arguments(std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"run", "--model", test::kNanoFolder, "--temp", "0"});
  return more;
}

bool same_mode(const termios& a, const termios& b) {
  return a.c_iflag == b.c_iflag && a.c_oflag == b.c_oflag && a.c_cflag == b.c_cflag && a.c_lflag == b.c_lflag &&
         std::memcmp(a.c_cc, b.c_cc, sizeof a.c_cc) == 0;
}

void leave(ProgramOnTerminal& chat) {
  chat.press(kControlD);
  EXPECT_EQ(chat.wait().exit_code, 0);
}

TEST(RunChat, AnswersAndLeavesTheTerminalAsItWas) {
  ProgramOnTerminal chat(chat_arguments());
  const termios before = chat.mode();
  chat.wait_for(kPrompt);
  EXPECT_FALSE(same_mode(chat.mode(), before));
  chat.press("What is the capital of Norway?\r");
  EXPECT_THAT(chat.wait_for(kStatistics), HasSubstr("The capital of Norway is Oslo."));
  chat.wait_for(kPrompt);
  leave(chat);
  EXPECT_TRUE(same_mode(chat.mode(), before));
}

TEST(RunChat, ShowsThinkingDimmed) {
  ProgramOnTerminal chat(chat_arguments());
  chat.wait_for(kPrompt);
  chat.press("What is the capital of Norway?\r");
  EXPECT_THAT(chat.wait_for(kStatistics), testing::ContainsRegex("\x1b\\[2m[^\x1b]+\x1b\\[22m\r\n\r\nThe"));
  leave(chat);
}

TEST(RunChat, RemembersWhatWasSaid) {
  ProgramOnTerminal chat(chat_arguments());
  chat.wait_for(kPrompt);
  chat.press("My name is Alice.\r");
  chat.wait_for(kStatistics);
  chat.wait_for(kPrompt);
  chat.press("What is my name?\r");
  EXPECT_THAT(chat.wait_for(kStatistics), HasSubstr("Your name is Alice"));
  leave(chat);
}

TEST(RunChat, ControlCStopsTheAnswerAndKeepsTheConversation) {  // pitfalls B55
  ProgramOnTerminal chat(chat_arguments({"--think", "0"}));
  chat.wait_for(kPrompt);
  chat.press(kEndless);
  chat.wait_for("1, 2, 3, ");
  chat.press(kControlC);
  chat.wait_for("stopped");
  chat.wait_for(kPrompt);
  chat.press("What is the capital of Norway?\r");
  chat.wait_for("Oslo");
  chat.wait_for("; prompt ");
  const std::string prompt = chat.wait_for(" reused");
  EXPECT_THAT(prompt, Not(testing::StartsWith("13 tokens"))) << "the stopped answer is part of the next prompt";
  EXPECT_THAT(prompt, Not(HasSubstr(", 0 reused")));
  leave(chat);
}

TEST(RunChat, ControlCBeforeTheAnswerTakesTheQuestionBack) {
  ProgramOnTerminal chat(chat_arguments());
  chat.wait_for(kPrompt);
  std::string paste = "\x1b[200~";
  for (int i = 0; i < 3000; ++i) paste += "word ";
  chat.press(paste + "\x1b[201~\r");
  chat.wait_for("reading the prompt [");
  chat.press(kControlC);
  chat.wait_for("stopped before an answer");
  chat.wait_for(kPrompt);
  chat.press("What is the capital of Norway?\r");
  chat.wait_for("Oslo");
  chat.wait_for("; prompt 37 tokens");
  leave(chat);
}

TEST(RunChat, ControlCAtThePromptClearsTheLineAndTwiceLeaves) {
  ProgramOnTerminal chat(chat_arguments());
  const termios before = chat.mode();
  chat.wait_for(kPrompt);
  chat.press("abc");
  chat.wait_for("abc");
  chat.press(kControlC);
  chat.wait_for(kPrompt);
  chat.press(kControlC);
  chat.wait_for("Ctrl+C again");
  chat.wait_for(kPrompt);
  chat.press(kControlC);
  EXPECT_EQ(chat.wait().exit_code, 0);
  EXPECT_TRUE(same_mode(chat.mode(), before));
}

TEST(RunChat, AnInterruptSignalIsAControlC) {
  ProgramOnTerminal chat(chat_arguments({"--think", "0"}));
  chat.wait_for(kPrompt);
  chat.press(kEndless);
  chat.wait_for("1, 2, 3, ");
  chat.signal(SIGINT);
  chat.wait_for("stopped");
  leave(chat);
}

TEST(RunChat, ASignalThatEndsTheProgramRestoresTheTerminal) {
  for (const int signal : {SIGTERM, SIGHUP, SIGABRT}) {
    ProgramOnTerminal chat(chat_arguments());
    const termios before = chat.mode();
    chat.wait_for(kPrompt);
    chat.signal(signal);
    EXPECT_EQ(chat.wait().signal, signal);
    EXPECT_TRUE(same_mode(chat.mode(), before)) << signal;
    chat.wait_for("\x1b[?2004l");
  }
}

TEST(RunChat, EndsWhenTheWindowIsClosed) {
  ProgramOnTerminal chat(chat_arguments());
  chat.wait_for(kPrompt);
  chat.close_window();
  chat.wait();
}

TEST(RunChat, APasteOfSeveralLinesWaitsForEnter) {
  ProgramOnTerminal chat(chat_arguments());
  chat.wait_for(kPrompt);
  chat.press("\x1b[200~one\ntwo\r\nthree\x1b[201~");
  chat.wait_for("one\r\r\n  two\r\r\n  three");
  chat.press(kControlC);
  chat.wait_for(kPrompt);
  leave(chat);
}

TEST(RunChat, KeysPressedDuringAnAnswerAreTheNextQuestion) {
  ProgramOnTerminal chat(chat_arguments({"--think", "0"}));
  chat.wait_for(kPrompt);
  chat.press("What is the capital of Norway?\rWhat is the capital of France?\r");
  chat.press(kControlD);
  const ProgramResult result = chat.wait();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("Oslo"));
  EXPECT_THAT(result.out, HasSubstr("Paris"));
}

TEST(RunChat, WhatWasTypedBeforeAControlCIsNotLost) {
  ProgramOnTerminal chat(chat_arguments({"--think", "0"}));
  chat.wait_for(kPrompt);
  chat.press(kEndless);
  chat.wait_for("1, 2, 3, ");
  chat.press("What is the capital of Norway?");
  chat.press(kControlC);
  chat.wait_for("stopped");
  chat.wait_for("What is the capital of Norway?");
  chat.press("\r");
  chat.wait_for("Oslo");
  leave(chat);
}

TEST(RunChat, AFullContextIsExplainedAndANewConversationGoesOn) {
  ProgramOnTerminal chat(chat_arguments({"--think", "0", "--ctx", "40"}));
  chat.wait_for(kPrompt);
  chat.press("What is the capital of Norway?\r");
  chat.wait_for("Oslo");
  chat.wait_for(kPrompt);
  chat.press("one two three four five six seven eight nine ten eleven twelve thirteen fourteen\r");
  EXPECT_THAT(chat.wait_for("/new"), testing::ContainsRegex("has [0-9]+ tokens.* 40"));
  chat.wait_for(kPrompt);
  chat.press("/new\r");
  chat.wait_for("A new conversation");
  chat.press("What is the capital of France?\r");
  chat.wait_for("Paris");
  leave(chat);
}

TEST(RunChat, CommandsAnswerAndQuitLeaves) {
  ProgramOnTerminal chat(chat_arguments());
  chat.wait_for(kPrompt);
  chat.press("/help\r");
  chat.wait_for("/think N");
  chat.press("/stats\r");
  chat.wait_for("of 1048576 tokens");
  chat.press("/quit\r");
  EXPECT_EQ(chat.wait().exit_code, 0);
}

TEST(RunChat, ATerminalWithoutACursorAsksOnce) {
  ProgramOnTerminal program(chat_arguments(), "dumb");
  program.wait_for("Ctrl+D ends it");
  program.press("What is the capital of Norway?\n");
  program.press(kControlD);
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("The capital of Norway is Oslo."));
  EXPECT_THAT(result.out, Not(HasSubstr("\x1b")));
}

TEST(RunChat, WithoutColoursNothingIsStyled) {
  ::setenv("NO_COLOR", "1", 1);
  ProgramOnTerminal chat(chat_arguments());
  ::unsetenv("NO_COLOR");
  chat.wait_for("> \r\x1b[2C");
  chat.press("What is the capital of Norway?\r");
  chat.wait_for("[thinking: ");
  chat.press(kControlD);
  const ProgramResult result = chat.wait();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, Not(testing::ContainsRegex("\x1b\\[[0-9]+m[^\r]")));
}

}  // namespace
}  // namespace bolide::app
