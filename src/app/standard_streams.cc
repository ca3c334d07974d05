#include "app/standard_streams.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "app/command.h"

namespace bolide::app {
namespace {

// The reason of the first write to stdout that failed.
int output_error = 0;

}  // namespace

void prepare_standard_streams() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow (ulimit -f) is a failed write like any other
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free descriptor is `fd`. Writing to it goes on failing, because it is open for reading only.
    if (open("/dev/null", O_RDONLY) == -1) return;
  }
}

bool print_out(std::string_view text) {
  if (output_error == 0 && std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) output_error = errno;
  return output_error == 0;
}

bool flush_out() {
  if (std::fflush(stdout) != 0 && output_error == 0) output_error = errno;
  return output_error == 0;
}

void print_error(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

int finish_output(int exit_code) {
  if (flush_out()) return exit_code;
  // Whoever stopped reading (`| head`) knows it.
  if (output_error != EPIPE)
    print_error(fmt::format("bolide: the result could not be written to stdout: {}\n", std::strerror(output_error)));
  return kFailed;
}

Result<std::string> read_stdin(u64 limit_bytes) {
  std::string text;
  std::array<char, 64 * 1024> piece;
  // A terminal's end of input is there once only: reading on would wait for another.
  while (std::feof(stdin) == 0 && std::ferror(stdin) == 0) {
    text.append(piece.data(), std::fread(piece.data(), 1, piece.size(), stdin));
    if (text.size() > limit_bytes) return Error{fmt::format("stdin has more than {} bytes", limit_bytes)};
  }
  if (std::ferror(stdin) != 0) return Error{fmt::format("stdin cannot be read: {}", std::strerror(errno))};
  return text;
}

int report_failure(const Error& error) {
  print_error(fmt::format("bolide: {}\n", error.message));
  return kFailed;
}

int report_wrong_usage(std::string_view command, const Error& error) {
  print_error(fmt::format("bolide: {}\nSee: bolide {}{}--help\n", error.message, command, command.empty() ? "" : " "));
  return kWrongUsage;
}

}  // namespace bolide::app
