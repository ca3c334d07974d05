#include "app/chat_commands.h"

#include <gmock/gmock.h>

#include "support/nano.h"

namespace bolide::app {
namespace {

using testing::HasSubstr;
using testing::Optional;

const text::Tokenizer& nano() {
  static const text::Tokenizer tokenizer = text::Tokenizer::from_file(test::kNanoFolder).value();
  return tokenizer;
}

TEST(ChatCommands, WhatIsNoCommandIsSaidToTheModel) {
  ChatState state;
  EXPECT_FALSE(run_chat_command("hello", state));
  EXPECT_FALSE(run_chat_command(" /new", state));
  EXPECT_FALSE(run_chat_command("/etc/passwd: what is it?", state));
  EXPECT_FALSE(run_chat_command("/", state));
  EXPECT_FALSE(run_chat_command("/think 0\nand more", state));
}

TEST(ChatCommands, AnUnknownCommandIsNotSaidToTheModel) {
  ChatState state;
  EXPECT_THAT(run_chat_command("/thnik 0", state), Optional(HasSubstr("/help")));
}

TEST(ChatCommands, SettingsChangeOrSayWhatTheyTake) {
  ChatState state;
  run_chat_command("/think 0", state);
  EXPECT_EQ(state.settings.effort, 0);
  for (const char* wrong : {"/think", "/think 101", "/think -1", "/think x", "/think 5 5"}) {
    EXPECT_THAT(run_chat_command(wrong, state), Optional(HasSubstr("Usage: /think N"))) << wrong;
  }
  EXPECT_EQ(state.settings.effort, 0);

  run_chat_command("/temp 0.5", state);
  EXPECT_EQ(state.settings.temperature, 0.5f);
  for (const char* wrong : {"/temp", "/temp -1", "/temp nan", "/temp inf", "/temp 1,5"}) {
    EXPECT_THAT(run_chat_command(wrong, state), Optional(HasSubstr("Usage: /temp X"))) << wrong;
  }
  EXPECT_EQ(state.settings.temperature, 0.5f);

  run_chat_command("/seed 18446744073709551615", state);
  EXPECT_EQ(state.settings.seed, ~u64{0});
  run_chat_command("/seed", state);
  EXPECT_EQ(state.settings.seed, std::nullopt);
}

TEST(ChatCommands, ALimitThatIsPassedIsNamed) {
  ChatState state;
  EXPECT_THAT(run_chat_command("/temp 101", state), Optional(HasSubstr("from 0 to 100")));
  EXPECT_THAT(run_chat_command("/think 101", state), Optional(HasSubstr("1 to 100")));
}

TEST(ChatCommands, SystemWithoutTextShowsItAndKeepsTheConversation) {
  ChatState state;
  EXPECT_THAT(run_chat_command("/system", state), Optional(HasSubstr("no system text")));
  run_chat_command("/system Be brief.", state);
  state.dialogue.restore({"Be brief.", {{"Hi", false, "", "Hello", {}}}}, nano());
  EXPECT_THAT(run_chat_command("/system", state), Optional(HasSubstr("Be brief.")));
  EXPECT_FALSE(state.dialogue.empty());
  run_chat_command("/system -", state);
  EXPECT_EQ(state.dialogue.system(), "");
}

TEST(ChatCommands, AMissingArgumentIsAskedFor) {
  ChatState state;
  for (const char* command : {"/read", "/save", "/load", "/think", "/temp"}) {
    EXPECT_THAT(run_chat_command(command, state), Optional(HasSubstr(std::string("Usage: ") + command)));
  }
}

TEST(ChatCommands, NewForgetsTheConversationAndKeepsTheSystemText) {
  ChatState state;
  run_chat_command("/system Be brief.", state);
  state.dialogue.restore({"Be brief.", {{"Hi", false, "", "Hello", {}}}}, nano());
  run_chat_command("/new", state);
  EXPECT_TRUE(state.dialogue.empty());
  EXPECT_EQ(state.dialogue.system(), "Be brief.");
}

TEST(ChatCommands, HelpNamesEveryCommand) {
  ChatState state;
  const std::optional<std::string> help = run_chat_command("/help", state);
  for (const char* name : {"/help", "/new", "/system", "/think", "/temp", "/seed", "/read", "/save", "/load", "/rewind",
                           "/stats", "/quit", "Ctrl+C", "Ctrl+D"}) {
    EXPECT_THAT(help, Optional(HasSubstr(name)));
  }
}

TEST(ChatCommands, QuitLeaves) {
  ChatState state;
  run_chat_command("/exit", state);
  EXPECT_TRUE(state.leaving);
}

}  // namespace
}  // namespace bolide::app
