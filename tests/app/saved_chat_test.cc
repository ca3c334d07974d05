#include "app/saved_chat.h"

#include <gmock/gmock.h>

#include "app/chat_file_commands.h"
#include "support/nano.h"
#include "support/program.h"
#include "support/temp_folder.h"

namespace bolide::app {
namespace {

using testing::HasSubstr;

const text::Tokenizer& nano() {
  static const text::Tokenizer tokenizer = text::Tokenizer::from_file(test::kNanoFolder).value();
  return tokenizer;
}

SavedChat example() {
  const std::string answer = "Fine, \x1b \"thanks\" 漢字.";
  return {.system = "Be brief.\nVery.",
          .exchanges = {{.question = "How are you?",
                         .thinking = false,
                         .reasoning = "",
                         .answer = answer,
                         .ids = nano().encode(answer, text::AddedTokens::kIgnore)},
                        {.question = "And", .thinking = true, .reasoning = "Hm.", .answer = "Yes", .ids = {}}}};
}

std::string problem(std::string_view bytes) {
  const Result<SavedChat> chat = parse_saved_chat(bytes, "x.chat");
  return chat ? "" : chat.error().message;
}

TEST(SavedChat, ComesBackAsItWas) {
  const Result<SavedChat> chat = parse_saved_chat(format_saved_chat(example()), "x.chat");
  ASSERT_TRUE(chat) << chat.error().message;
  EXPECT_EQ(*chat, example());
}

TEST(SavedChat, EveryCutAndEveryChangedByteIsRefused) {
  const std::string whole = format_saved_chat(example());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_THAT(problem(whole.substr(0, i)), testing::StartsWith("x.chat: ")) << i;
    std::string changed = whole;
    changed[i] ^= 1;
    EXPECT_THAT(problem(changed), testing::StartsWith("x.chat: ")) << i;
  }
  EXPECT_THAT(problem(whole + " "), HasSubstr("SHA-256"));
}

TEST(SavedChat, OtherFilesAndVersionsAreNamed) {
  EXPECT_THAT(problem(""), HasSubstr("not a conversation that /save wrote"));
  EXPECT_THAT(problem("\x7f"
                      "ELF"),
              HasSubstr("not a conversation that /save wrote"));
  EXPECT_THAT(problem("{\"bolide_chat\": 2, \"sha256\": 1}\n{}"), HasSubstr("this program reads version 1"));
  EXPECT_THAT(problem("{\"bolide_chat\": 11, \"sha256\": 1}\n{}"), HasSubstr("this program reads version 1"));
}

TEST(SavedChat, WrongFieldsAreNamedEvenWithARightHash) {
  const auto of = [](std::string_view conversation) { return problem(with_header(conversation)); };
  const std::string turn = R"({"question": "a", "thinking": true, "reasoning": "", "answer": "b", "ids": [1]})";
  EXPECT_EQ(of("{\"system\": \"\", \"exchanges\": [" + turn + "]}"), "");
  EXPECT_THAT(of(""), HasSubstr("is empty"));
  EXPECT_THAT(of("[]"), HasSubstr("the conversation is missing"));
  EXPECT_THAT(of("{\"exchanges\": []}"), HasSubstr("system"));
  EXPECT_THAT(of("{\"system\": \"\", \"exchanges\": 1}"), HasSubstr("exchanges"));
  EXPECT_THAT(of("{\"system\": \"\", \"exchanges\": [" + turn + ", 1]}"), HasSubstr("exchanges[1]"));
  for (const char* wrong :
       {R"({"question": 1, "thinking": true, "reasoning": "", "answer": "b", "ids": [1]})",
        R"({"question": "a", "thinking": true, "reasoning": "", "answer": "", "ids": [1]})",
        R"({"question": "a", "thinking": true, "reasoning": "", "answer": "b", "ids": [-1]})",
        R"({"question": "a", "thinking": true, "reasoning": "", "answer": "b", "ids": [1.5]})",
        R"({"question": "a", "thinking": true, "reasoning": "", "answer": "b", "ids": [4294967296]})",
        R"({"question": "a", "thinking": true, "reasoning": "", "answer": "b"})"}) {
    EXPECT_THAT(of(std::string("{\"system\": \"\", \"exchanges\": [") + wrong + "]}"), HasSubstr("exchanges[0]"))
        << wrong;
  }
  EXPECT_THAT(of(std::string(100'000, '[')), HasSubstr("JSON"));
  EXPECT_THAT(of("{\"system\": \"\xff\", \"exchanges\": []}"), HasSubstr("JSON"));
}

TEST(Restore, KeepsTokensThatSayTheText) {
  Dialogue dialogue;
  EXPECT_EQ(dialogue.restore(example(), nano()), 0u);
  EXPECT_EQ(dialogue.said(), example());
}

TEST(Restore, LeavesOutTokensOfAnotherTextOrThatEndAnAnswer) {
  for (const u32 id : {u32{8192}, ~u32{0}, u32{300}, text::end_token(nano()).value()}) {
    SavedChat chat = example();
    chat.exchanges[0].ids.push_back(id);
    Dialogue dialogue;
    EXPECT_EQ(dialogue.restore(chat, nano()), 1u) << id;
    EXPECT_EQ(dialogue.exchanges()[0].answer, chat.exchanges[0].answer);
  }
}

// The prompt after loading is the one that the chat would have had.
TEST(Restore, TheNextPromptHoldsTheSampledTokens) {
  SavedChat chat = example();
  const std::vector<u32> odd = {nano().encode("a", text::AddedTokens::kIgnore)[0],
                                nano().encode("n", text::AddedTokens::kIgnore)[0],
                                nano().encode("d", text::AddedTokens::kIgnore)[0]};
  chat.exchanges[0].answer = "and";
  chat.exchanges[0].ids = odd;
  Dialogue dialogue;
  ASSERT_EQ(dialogue.restore(chat, nano()), 0u);
  dialogue.ask("More?");
  const auto request = dialogue.request(nano(), {});
  ASSERT_TRUE(request);
  EXPECT_FALSE(std::ranges::search(request->prompt, odd).empty());
}

class ChatFiles : public testing::Test {
 protected:
  ChatFiles() {
    state_.tokenizer = &nano();
    state_.dialogue.restore(example(), nano());
  }
  std::string say(const std::string& line) { return run_chat_command(line, state_).value_or("no command"); }

  test::TempFolder folder_;
  ChatState state_;
};

TEST_F(ChatFiles, SaveAndLoad) {
  const std::string path = folder_.file("a b.chat");
  EXPECT_THAT(say("/save " + path), HasSubstr("Saved in " + path));
  say("/new");
  EXPECT_THAT(say("/load " + path), HasSubstr("2 questions; the last was: And"));
  EXPECT_EQ(state_.dialogue.said(), example());
}

TEST_F(ChatFiles, AFileThatIsNoConversationIsNeverReplaced) {
  folder_.write("notes", "mine");
  for (int i = 0; i < 3; ++i) EXPECT_THAT(say("/save " + folder_.file("notes")), HasSubstr("such a file already"));
  EXPECT_EQ(test::read_whole_file(folder_.file("notes")), "mine");
  EXPECT_THAT(say("/save " + folder_.path()), HasSubstr("is a folder"));
  EXPECT_THAT(say("/save /dev/null"), HasSubstr("not a regular file"));
  EXPECT_THAT(say("/save " + folder_.file("no/such/folder")), HasSubstr("cannot create"));
}

TEST_F(ChatFiles, AConversationIsReplacedOnlyWhenAskedTwiceInARow) {
  const std::string path = folder_.file("x.chat");
  say("/save " + path);
  const std::string before = test::read_whole_file(path);
  state_.dialogue.rewind(1);
  EXPECT_THAT(say("/save " + path), HasSubstr("once more replaces it"));
  say("/stats");
  EXPECT_THAT(say("/save " + path), HasSubstr("once more replaces it"));
  run_chat_command("a question", state_);
  EXPECT_THAT(say("/save " + path), HasSubstr("once more replaces it"));
  EXPECT_EQ(test::read_whole_file(path), before);
  EXPECT_THAT(say("/save " + path), HasSubstr("Saved in"));
  EXPECT_NE(test::read_whole_file(path), before);
}

TEST_F(ChatFiles, WhatCannotBeLoadedLeavesTheConversation) {
  folder_.write("x", "hello");
  for (const std::string& path : {folder_.file("x"), folder_.file("none"), folder_.path(), std::string("/dev/zero")}) {
    EXPECT_THAT(say("/load " + path), HasSubstr(path + ": "));
  }
  EXPECT_EQ(state_.dialogue.said(), example());
}

TEST_F(ChatFiles, ReadTakesTextOnly) {
  folder_.write("text", "one two three\n");
  folder_.write("binary", std::string_view("a\0b", 3));
  folder_.write("latin1", "caf\xe9");
  folder_.write("blank", " \n");
  EXPECT_THAT(say("/read " + folder_.file("text")), HasSubstr("go with your next question"));
  EXPECT_EQ(state_.attached, "\n\none two three\n");
  for (const char* name : {"binary", "latin1", "blank", "none"}) {
    EXPECT_THAT(say("/read " + folder_.file(name)), HasSubstr(std::string(name) + ": ")) << name;
  }
  EXPECT_EQ(state_.attached, "\n\none two three\n");
  say("/new");
  EXPECT_EQ(state_.attached, "");
}

TEST_F(ChatFiles, RewindForgetsTheLastQuestions) {
  EXPECT_THAT(say("/rewind 0"), HasSubstr("Usage"));
  EXPECT_THAT(say("/rewind -1"), HasSubstr("Usage"));
  EXPECT_THAT(say("/rewind"), HasSubstr("1 question forgotten, 1 left"));
  EXPECT_EQ(state_.dialogue.exchanges().back().question, "How are you?");
  EXPECT_THAT(say("/rewind 99"), HasSubstr("1 question forgotten, 0 left"));
  EXPECT_THAT(say("/rewind"), HasSubstr("no question"));
}

}  // namespace
}  // namespace bolide::app
