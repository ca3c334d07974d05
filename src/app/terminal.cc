#include "app/terminal.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <iterator>
#include <poll.h>
#include <string>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <utility>

#include "base/check.h"

namespace bolide::app {
namespace {

constexpr int kEscapeDelayMs = 50;  // a key's bytes arrive together; Escape alone is followed by nothing
constexpr int kLongestWaitMs = 1000;

// All of this is global because signal handlers use it.
struct Saved {
  termios mode{};
  std::atomic<bool> changed = false;          // the terminal is in our mode
  std::array<int, 2> signal_pipe = {-1, -1};  // a byte for each signal that read_signals() should look at
};
Saved saved;

constexpr std::string_view kBracketedPasteOn = "\x1b[?2004h";
constexpr std::string_view kBracketedPasteOff = "\x1b[?2004l";

// Async-signal-safe.
void write_all(int file_descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EAGAIN) {
      pollfd ready{file_descriptor, POLLOUT, 0};
      ::poll(&ready, 1, kLongestWaitMs);
    } else if (written < 0 && errno != EINTR) {
      return;  // the terminal is gone; reading will tell
    }
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void enter_our_mode() {
  termios mode = saved.mode;
  mode.c_iflag &= ~static_cast<tcflag_t>(BRKINT | ICRNL | INLCR | IGNCR | ISTRIP | IXON);
  mode.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | IEXTEN | ISIG);
  mode.c_cc[VMIN] = 1;
  mode.c_cc[VTIME] = 0;
  saved.changed = true;
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &mode);
  write_all(STDOUT_FILENO, kBracketedPasteOn);
}

// Async-signal-safe.
void leave_our_mode() {
  if (!saved.changed.exchange(false)) return;
  write_all(STDOUT_FILENO, kBracketedPasteOff);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &saved.mode);
}

// Signals that end the program.
constexpr std::array kFatalSignals = {SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
// Signals that the reading thread should hear of.
constexpr std::array kHeardSignals = {SIGINT, SIGWINCH};

std::array<struct sigaction, kFatalSignals.size()> former_fatal;
std::array<struct sigaction, kHeardSignals.size()> former_heard;

extern "C" void restore_and_end(int signal) {
  leave_our_mode();
  for (std::size_t i = 0; i < kFatalSignals.size(); ++i) {
    if (kFatalSignals[i] == signal) ::sigaction(signal, &former_fatal[i], nullptr);
  }
  ::raise(signal);
}

extern "C" void hear(int signal) {
  const int error = errno;
  const char byte = signal == SIGINT ? 'i' : 'w';
  [[maybe_unused]] const ssize_t written = ::write(saved.signal_pipe[1], &byte, 1);  // full: enough is waiting
  errno = error;
}

void install_handlers() {
  struct sigaction action{};
  ::sigemptyset(&action.sa_mask);
  action.sa_handler = restore_and_end;
  for (std::size_t i = 0; i < kFatalSignals.size(); ++i) {
    ::sigaction(kFatalSignals[i], &action, &former_fatal[i]);
    const bool ignored = former_fatal[i].sa_handler == SIG_IGN;  // nohup
    if (ignored) ::sigaction(kFatalSignals[i], &former_fatal[i], nullptr);
  }
  action.sa_handler = hear;
  for (std::size_t i = 0; i < kHeardSignals.size(); ++i) ::sigaction(kHeardSignals[i], &action, &former_heard[i]);
}

void remove_handlers() {
  for (std::size_t i = 0; i < kFatalSignals.size(); ++i) ::sigaction(kFatalSignals[i], &former_fatal[i], nullptr);
  for (std::size_t i = 0; i < kHeardSignals.size(); ++i) ::sigaction(kHeardSignals[i], &former_heard[i], nullptr);
}

bool open_signal_pipe() {
  if (::pipe(saved.signal_pipe.data()) != 0) return false;
  for (const int end : saved.signal_pipe) {
    ::fcntl(end, F_SETFL, O_NONBLOCK);
    ::fcntl(end, F_SETFD, FD_CLOEXEC);
  }
  return true;
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

bool is_dumb_terminal() {
  return !is_set("TERM") || std::strcmp(std::getenv("TERM"), "dumb") == 0;
}

bool is_interactive_terminal() {
  return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1 && !is_dumb_terminal();
}

bool may_style(int file_descriptor) {
  return ::isatty(file_descriptor) == 1 && !is_dumb_terminal() && !is_set("NO_COLOR");
}

std::size_t columns_of(int file_descriptor) {
  winsize size{};
  return ::ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

Result<std::unique_ptr<Terminal>> Terminal::open() {
  check(!saved.changed, "there is one Terminal at a time");
  if (::tcgetattr(STDIN_FILENO, &saved.mode) != 0 || !open_signal_pipe()) {
    return Error{fmt::format("the terminal cannot be used for a chat: {}", std::strerror(errno))};
  }
  install_handlers();
  enter_our_mode();
  return std::unique_ptr<Terminal>(new Terminal());
}

Terminal::~Terminal() {
  leave_our_mode();
  remove_handlers();
  for (int& end : saved.signal_pipe) ::close(std::exchange(end, -1));
}

Terminal::Size Terminal::size() const {
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
  return known ? Size{size.ws_col, size.ws_row} : Size{80, 24};
}

void Terminal::write(std::string_view bytes) {
  write_all(STDOUT_FILENO, bytes);
}

// What can be read after waiting.
struct Terminal::Poll {
  bool input = false;
  bool other = false;
};

Terminal::Poll Terminal::poll_sources(int file_descriptor, int timeout_ms) {
  std::array<pollfd, 3> sources = {
      {{closed_ ? -1 : STDIN_FILENO, POLLIN, 0}, {saved.signal_pipe[0], POLLIN, 0}, {file_descriptor, POLLIN, 0}}};
  if (::poll(sources.data(), sources.size(), timeout_ms) <= 0) return {};
  if (sources[1].revents != 0) read_signals();
  if (sources[0].revents != 0) read_input();
  return {sources[0].revents != 0, sources[2].revents != 0};
}

void Terminal::read_input() {
  std::array<char, 4096> bytes;
  const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count <= 0) {
    closed_ = true;
    return;
  }
  std::ranges::move(decoder_.push({bytes.data(), static_cast<std::size_t>(count)}), std::back_inserter(typed_));
}

void Terminal::read_signals() {
  char byte = 0;
  while (::read(saved.signal_pipe[0], &byte, 1) == 1) {
    if (byte == 'i') typed_.push_back({Key::kInterrupt, {}});
  }
}

std::optional<KeyPress> Terminal::read_key() {
  if (typed_.empty() && !closed_) {
    const bool undecided = decoder_.undecided();
    const Poll ready = poll_sources(-1, undecided ? kEscapeDelayMs : -1);
    if (undecided && !ready.input) decoder_.forget_undecided();
  }
  if (typed_.empty()) return closed_ ? std::optional(KeyPress{Key::kEndOfInput, {}}) : std::nullopt;
  KeyPress key = std::move(typed_.front());
  typed_.pop_front();
  return key;
}

bool Terminal::wait_unless_interrupted(int file_descriptor) {
  const auto has_key = [this](Key wanted) { return std::ranges::find(typed_, wanted, &KeyPress::key) != typed_.end(); };
  for (;;) {
    const Poll ready = poll_sources(file_descriptor, kLongestWaitMs);
    if (has_key(Key::kInterrupt)) {
      std::erase_if(typed_, [](const KeyPress& key) { return key.key == Key::kInterrupt; });
      return false;
    }
    if (has_key(Key::kSuspend)) {
      std::erase_if(typed_, [](const KeyPress& key) { return key.key == Key::kSuspend; });
      suspend();
      continue;
    }
    if (ready.other || !ready.input) return true;
  }
}

void Terminal::suspend() {
  leave_our_mode();
  ::kill(0, SIGTSTP);  // the whole job, as the terminal itself would: ./run's shell stops too
  enter_our_mode();
}

}  // namespace bolide::app
