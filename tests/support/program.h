// Running the program itself, as a shell would, for tests of its commands.
#pragma once
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "base/check.h"

namespace bolide::test {

// What a program left behind.
struct ProgramResult {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;
  std::string out;
  std::string err;
};

// Replaces this (forked) process by the program.
[[noreturn]] inline void exec_program(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  ::_exit(127);
}

inline void set_exit(ProgramResult& result, int wait_status) {
  if (WIFEXITED(wait_status)) result.exit_code = WEXITSTATUS(wait_status);
  if (WIFSIGNALED(wait_status)) result.signal = WTERMSIG(wait_status);
}

// `stdin_fd` and `stdout_fd` become the program's; both are closed here. stdout_fd -1: collected into the result.
inline ProgramResult run_program(const std::vector<std::string>& arguments, int stdin_fd, int stdout_fd = -1) {
  std::array<int, 2> out{-1, stdout_fd};
  std::array<int, 2> err{};
  if (stdout_fd < 0) check(::pipe2(out.data(), O_CLOEXEC) == 0, "a test can open a pipe");
  check(::pipe2(err.data(), O_CLOEXEC) == 0, "a test can open a pipe");
  const pid_t child = ::fork();
  check(child >= 0, "a test can start a program");
  if (child == 0) {
    ::dup2(stdin_fd, STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    exec_program(BOLIDE_BINARY, arguments);
  }
  for (const int fd : {stdin_fd, out[1], err[1]}) ::close(fd);

  ProgramResult result;
  std::array<pollfd, 2> sources = {{{out[0], POLLIN, 0}, {err[0], POLLIN, 0}}};
  const std::array<std::string*, 2> texts = {&result.out, &result.err};
  while (sources[0].fd >= 0 || sources[1].fd >= 0) {
    if (::poll(sources.data(), sources.size(), -1) < 0) continue;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (sources[i].revents == 0) continue;
      std::array<char, 4096> bytes;
      const ssize_t count = ::read(sources[i].fd, bytes.data(), bytes.size());
      if (count > 0) {
        texts[i]->append(bytes.data(), static_cast<std::size_t>(count));
      } else {
        ::close(sources[i].fd);
        sources[i].fd = -1;
      }
    }
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  set_exit(result, status);
  return result;
}

// A file descriptor from which `text` can be read, and then the end.
inline int readable_text(std::string_view text) {
  std::string path = "/tmp/bolide-test-XXXXXX";
  const int fd = ::mkstemp(path.data());
  check(fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
            ::lseek(fd, 0, SEEK_SET) == 0,
        "a test can make a file");
  ::unlink(path.c_str());
  return fd;
}

inline ProgramResult run_program(const std::vector<std::string>& arguments, std::string_view stdin_text = {}) {
  return run_program(arguments, readable_text(stdin_text));
}

// Runs a line of the shell in which $BOLIDE is the program; for redirections and pipes. Gives its exit code.
inline int run_shell(const std::string& line) {
  const int status = std::system(("BOLIDE='" BOLIDE_BINARY "'; " + line).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

inline std::string read_whole_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream.good()) << path;
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace bolide::test
