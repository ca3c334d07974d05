// Running the program on a terminal of its own and pressing keys, for tests.
#pragma once
#include <chrono>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "support/program.h"
#include "support/temp_folder.h"

namespace bolide::test {

class ProgramOnTerminal {
 public:
  explicit ProgramOnTerminal(const std::vector<std::string>& arguments, const char* kind = "xterm") {
    keyboard_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    check(keyboard_ >= 0 && ::grantpt(keyboard_) == 0 && ::unlockpt(keyboard_) == 0, "a test can open a terminal");
    terminal_ = ::open(::ptsname(keyboard_), O_RDWR | O_NOCTTY | O_CLOEXEC);
    check(terminal_ >= 0, "a test can open a terminal");
    const winsize size{.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
    ::ioctl(terminal_, TIOCSWINSZ, &size);
    child_ = ::fork();
    check(child_ >= 0, "a test can start a program");
    if (child_ > 0) return;
    ::setsid();
    ::ioctl(terminal_, TIOCSCTTY, 0);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(terminal_, fd);
    ::setenv("TERM", kind, 1);
    ::setenv("XDG_STATE_HOME", home_.path().c_str(), 1);  // not the history of the person who tests
    exec_program(BOLIDE_BINARY, arguments);
  }
  ProgramOnTerminal(const ProgramOnTerminal&) = delete;
  ProgramOnTerminal& operator=(const ProgramOnTerminal&) = delete;
  ~ProgramOnTerminal() {
    if (child_ > 0) {
      ::kill(child_, SIGKILL);
      wait_child();
    }
    for (const int fd : {keyboard_, terminal_}) {
      if (fd >= 0) ::close(fd);
    }
  }

  void press(std::string_view keys) {
    EXPECT_EQ(::write(keyboard_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }

  // Waits until the program has written `text` after what was waited for before. Gives what it wrote up to there, in a
  // failure everything.
  std::string wait_for(std::string_view text) {
    for (;;) {
      if (const std::size_t found = screen_.find(text, seen_); found != std::string::npos) {
        const std::size_t from = std::exchange(seen_, found + text.size());
        return screen_.substr(from, seen_ - from);
      }
      if (!read_more()) {
        ADD_FAILURE() << "the program never wrote " << testing::PrintToString(text) << " but\n" << screen_;
        return screen_;
      }
    }
  }

  // Waits for the program's end.
  ProgramResult wait() {
    while (child_ > 0 && !ended()) {
      if (!read_more() && child_ > 0 && !ended()) {
        ADD_FAILURE() << "the program did not end after\n" << screen_;
        break;
      }
    }
    result_.out = screen_;
    return result_;
  }

  void signal(int number) { ::kill(child_, number); }
  // As when the window is closed.
  void close_window() {
    for (int* fd : {&terminal_, &keyboard_}) ::close(std::exchange(*fd, -1));
  }

  // The terminal's mode now.
  termios mode() const {
    termios mode{};
    EXPECT_EQ(::tcgetattr(terminal_, &mode), 0);
    return mode;
  }

 private:
  static constexpr std::chrono::seconds kPatience{120};  // only a failing test waits that long

  // Everything that comes within the patience, at least something; false: nothing came, or the program has ended.
  bool read_more() {
    const auto give_up = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < give_up) {
      pollfd source{keyboard_, POLLIN, 0};
      if (keyboard_ >= 0 && ::poll(&source, 1, 50) > 0 && read_once()) return true;
      if (keyboard_ < 0) ::usleep(50'000);
      if (ended()) return keyboard_ >= 0 && ::poll(&source, 1, 0) > 0 && read_once();
    }
    return false;
  }
  bool read_once() {
    std::array<char, 4096> bytes;
    const ssize_t count = ::read(keyboard_, bytes.data(), bytes.size());
    if (count > 0) screen_.append(bytes.data(), static_cast<std::size_t>(count));
    return count > 0;
  }

  bool ended() {
    if (child_ < 0) return true;
    int status = 0;
    if (::waitpid(child_, &status, WNOHANG) != child_) return false;
    child_ = -1;
    set_exit(result_, status);
    return true;
  }
  void wait_child() {
    int status = 0;
    ::waitpid(child_, &status, 0);
  }

  TempFolder home_;
  int keyboard_ = -1;  // our side: keys go in, what the screen shows comes out
  int terminal_ = -1;  // the program's side; kept open so that its mode can be asked for after the end
  pid_t child_ = -1;
  std::string screen_;
  std::size_t seen_ = 0;
  ProgramResult result_;
};

}  // namespace bolide::test
