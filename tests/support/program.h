// Runs the program `bolide` itself.
#pragma once
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "support/temp_folder.h"

namespace bolide::test {

struct ProgramResult {
  int exit_code;  // -1: it did not end by itself
  std::string out;
  std::string err;
};

inline std::string read_whole_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream.good()) << path;
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// Runs `bolide arguments...` with `input` on stdin and waits for its end.
inline ProgramResult run_bolide(const std::vector<std::string>& arguments, std::string_view input = "") {
  const TempFolder folder;
  folder.write("in", input);
  std::vector<std::string> words = {BOLIDE_BINARY};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, folder.file("in").c_str(), O_RDONLY, 0);
  const int flags = O_WRONLY | O_CREAT;
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, folder.file("out").c_str(), flags, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, folder.file("err").c_str(), flags, 0600);
  pid_t process = 0;
  const int failure = posix_spawn(&process, BOLIDE_BINARY, &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(failure, 0) << BOLIDE_BINARY;
  if (failure != 0) return {-1, "", ""};

  int status = 0;
  waitpid(process, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_whole_file(folder.file("out")),
          read_whole_file(folder.file("err"))};
}

// Runs a line of the shell in which $BOLIDE is the program; for redirections and pipes.
inline int run_shell(const std::string& line) {
  const int status = std::system(("BOLIDE='" BOLIDE_BINARY "'; " + line).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace bolide::test
