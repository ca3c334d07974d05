#include "app/chat_history.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "support/program.h"
#include "support/temp_folder.h"

namespace bolide::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ChatHistoryTest : public testing::Test {
 protected:
  ChatHistoryTest() : path_(folder_.file("new/bolide/history")), history_(path_) {}

  std::vector<std::string> read() const {
    const auto questions = history_.read();
    EXPECT_TRUE(questions) << questions.error().message;
    return *questions;
  }

  test::TempFolder folder_;
  std::string path_;
  ChatHistory history_;
};

mode_t mode_of(const std::string& path) {
  struct stat info{};
  EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
  return info.st_mode & 0777;
}

TEST_F(ChatHistoryTest, KeepsQuestionsOfSeveralLines) {
  EXPECT_THAT(read(), IsEmpty());
  const std::string lines = "one\ntwo \\n three\\\n漢字\t!";
  EXPECT_TRUE(history_.add("first"));
  EXPECT_TRUE(history_.add(lines));
  EXPECT_TRUE(history_.add(" \n"));
  EXPECT_THAT(read(), ElementsAre("first", lines));
}

TEST_F(ChatHistoryTest, OnlyTheOwnerMayReadIt) {
  read();
  EXPECT_EQ(mode_of(path_), 0600u);
  EXPECT_EQ(mode_of(folder_.file("new")), 0700u);
  ::chmod(path_.c_str(), 0644);
  EXPECT_TRUE(history_.add("x"));
  EXPECT_EQ(mode_of(path_), 0600u);
}

TEST_F(ChatHistoryTest, LeavesOutLinesThatAreNoText) {
  folder_.write("history", "good\n\x1b[2J\nbad \xff\n\nalso good\\\nlast without end");
  EXPECT_THAT(*ChatHistory(folder_.file("history")).read(), ElementsAre("good", "also good\\", "last without end"));
}

TEST_F(ChatHistoryTest, ALongFileIsShortened) {
  const std::string line(1000, 'x');
  std::string text;
  for (int i = 0; i < 2000; ++i) text += std::to_string(i) + line + "\n";
  folder_.write("history", text);
  const ChatHistory history(folder_.file("history"));
  const std::vector<std::string> questions = *history.read();
  ASSERT_EQ(questions.size(), 1000u);
  EXPECT_EQ(questions.front(), "1000" + line);
  EXPECT_LT(test::read_whole_file(folder_.file("history")).size(), std::size_t{1} << 20);
  EXPECT_EQ(*history.read(), questions);
}

TEST_F(ChatHistoryTest, DocumentsAreNotKept) {
  read();
  EXPECT_TRUE(history_.add(std::string(100'000, 'x')));
  EXPECT_THAT(read(), IsEmpty());
}

TEST_F(ChatHistoryTest, AnythingButAFileIsAnError) {
  const auto questions = ChatHistory("/dev/null").read();
  ASSERT_FALSE(questions);
  EXPECT_THAT(questions.error().message, HasSubstr("not a regular file"));
  EXPECT_FALSE(ChatHistory(folder_.path()).read());
}

TEST(ChatHistoryPath, FollowsTheBaseDirectories) {
  ::setenv("HOME", "/home/a", 1);
  ::unsetenv("XDG_STATE_HOME");
  EXPECT_EQ(ChatHistory::default_path(), "/home/a/.local/state/bolide/history");
  ::setenv("XDG_STATE_HOME", "/state", 1);
  EXPECT_EQ(ChatHistory::default_path(), "/state/bolide/history");
  ::setenv("XDG_STATE_HOME", "relative", 1);
  EXPECT_EQ(ChatHistory::default_path(), "/home/a/.local/state/bolide/history");
  ::unsetenv("XDG_STATE_HOME");
  ::unsetenv("HOME");
  EXPECT_EQ(ChatHistory::default_path(), std::nullopt);
}

}  // namespace
}  // namespace bolide::app
