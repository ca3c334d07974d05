#include "app/chat_history.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/types.h"
#include "text/utf8.h"

namespace bolide::app {
namespace {

constexpr std::size_t kQuestions = 1000;          // kept when the file is shortened
constexpr off_t kLongFileBytes = off_t{1} << 20;  // shortened from here on
constexpr off_t kLargestFileBytes = off_t{64} << 20;
constexpr std::size_t kLongestQuestion = 16 * 1024;

// The open file, locked while this lives.
class LockedFile {
 public:
  // The mode is 0600, whatever it was.
  static Result<LockedFile> open(const std::string& path) {
    // A symbolic link is followed: a link to /dev/null is a usual way to keep nothing.
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0600);
    if (fd < 0) return Error{fmt::format("{}: cannot open: {}", path, std::strerror(errno))};
    LockedFile file(fd);
    struct stat info{};
    if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return Error{path + ": not a regular file"};
    if (info.st_size > kLargestFileBytes) return Error{fmt::format("{}: {} bytes, too long", path, info.st_size)};
    if ((info.st_mode & 077) != 0) ::fchmod(fd, 0600);
    while (::flock(fd, LOCK_EX) != 0 && errno == EINTR) {
    }
    file.size_ = static_cast<std::size_t>(info.st_size);
    return file;
  }
  LockedFile(LockedFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)), size_(other.size_) {}
  LockedFile& operator=(LockedFile&&) = delete;
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;
  ~LockedFile() {
    if (fd_ >= 0) ::close(fd_);
  }

  std::string read() const {
    std::string text(size_, '\0');
    const ssize_t count = ::pread(fd_, text.data(), text.size(), 0);
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return text;
  }
  bool append(std::string_view text) const {
    return ::write(fd_, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  }
  bool clear() const { return ::ftruncate(fd_, 0) == 0; }

 private:
  explicit LockedFile(int fd) : fd_(fd) {}
  int fd_;
  std::size_t size_ = 0;
};

std::string as_line(std::string_view question) {
  std::string line;
  for (const char byte : question) {
    if (byte == '\\') line += "\\\\";
    if (byte == '\n') line += "\\n";
    if (byte != '\\' && byte != '\n') line += byte;
  }
  return line + "\n";
}

// None: this is no text.
std::optional<std::string> from_line(std::string_view line) {
  if (line.empty() || line.size() > 2 * kLongestQuestion) return std::nullopt;
  std::string question;
  while (!line.empty()) {
    const text::Utf8Char next = text::first_char(line);
    if (next.length == 0 || (next.code_point < 0x20 && next.code_point != '\t')) return std::nullopt;
    if (line.starts_with("\\n") || line.starts_with("\\\\")) {
      question += line[1] == 'n' ? '\n' : '\\';
      line.remove_prefix(2);
    } else {
      question += line.substr(0, next.length);
      line.remove_prefix(next.length);
    }
  }
  return question;
}

std::vector<std::string> questions_of(std::string_view text) {
  std::vector<std::string> questions;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (std::optional<std::string> question = from_line(text.substr(0, end))) questions.push_back(std::move(*question));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (questions.size() > kQuestions) questions.erase(questions.begin(), questions.end() - kQuestions);
  return questions;
}

// An absolute path; others do not count (XDG Base Directory Specification).
std::optional<std::filesystem::path> folder_in(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value != '/') return std::nullopt;
  return std::filesystem::path(value);
}

// Only its owner may look into a folder that is made.
Status make_folders(const std::filesystem::path& folder) {
  std::error_code code;
  if (folder.empty() || std::filesystem::is_directory(folder, code)) return {};
  if (Status parent = make_folders(folder.parent_path()); !parent) return parent;
  if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return Error{fmt::format("{}: cannot make the folder: {}", folder.string(), std::strerror(errno))};
}

}  // namespace

std::optional<std::string> ChatHistory::default_path() {
  if (const auto state = folder_in("XDG_STATE_HOME")) return (*state / "bolide/history").string();
  if (const auto home = folder_in("HOME")) return (*home / ".local/state/bolide/history").string();
  return std::nullopt;
}

Result<std::vector<std::string>> ChatHistory::read() const {
  if (Status folder = make_folders(std::filesystem::path(path_).parent_path()); !folder) return folder.error();
  const Result<LockedFile> file = LockedFile::open(path_);
  if (!file) return file.error();
  const std::string text = file->read();
  std::vector<std::string> questions = questions_of(text);
  if (text.size() > kLongFileBytes) {
    std::string shorter;
    for (const std::string& question : questions) shorter += as_line(question);
    if (!file->clear() || !file->append(shorter)) return Error{path_ + ": cannot be shortened"};
  }
  return questions;
}

Status ChatHistory::add(std::string_view question) const {
  if (question.size() > kLongestQuestion || question.find_first_not_of(" \t\n") == std::string_view::npos) return {};
  const Result<LockedFile> file = LockedFile::open(path_);
  if (!file) return file.error();
  if (!file->append(as_line(question))) {
    return Error{fmt::format("{}: cannot write: {}", path_, std::strerror(errno))};
  }
  return {};
}

}  // namespace bolide::app
