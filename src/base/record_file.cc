#include "base/record_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/mapped_file.h"
#include "base/sha256.h"

namespace bolide {
namespace {

constexpr std::string_view kMagic = "BOLIDEJ1";
constexpr std::size_t kLengthBytes = sizeof(u32);
constexpr std::size_t kDigestBytes = sizeof(Sha256Digest);

Error system_error(const std::string& path, const char* what) {
  return {fmt::format("{}: cannot {}: {}", path, what, std::strerror(errno))};
}

// Whole records, and where the last of them ends.
struct Parsed {
  std::vector<std::string> records;
  std::size_t end = kMagic.size();
};

// A record is its length, its bytes, and their SHA-256; the first one that is not whole ends the file.
Parsed parse(std::string_view text) {
  Parsed parsed;
  while (text.size() - parsed.end >= kLengthBytes + kDigestBytes) {
    const std::string_view rest = text.substr(parsed.end);
    const auto length = load<u32>(as_bytes(rest).data());
    if (rest.size() - kLengthBytes - kDigestBytes < length) break;
    const std::string_view record = rest.substr(kLengthBytes, length);
    if (load<Sha256Digest>(as_bytes(rest).data() + kLengthBytes + length) != sha256(as_bytes(record))) break;
    parsed.records.emplace_back(record);
    parsed.end += kLengthBytes + length + kDigestBytes;
  }
  return parsed;
}

Result<Parsed> parse_file(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  const std::string_view text = as_text(file->bytes());
  if (text.size() < kMagic.size() && kMagic.starts_with(text)) return Parsed{.records = {}, .end = 0};
  if (!text.starts_with(kMagic)) {
    return Error{path + ": is no journal of an earlier conversion; move it away or choose another name"};
  }
  return parse(text);
}

Status write_all(int fd, const std::string& path, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return system_error(path, "write");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace

Result<RecordFile> RecordFile::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (fd < 0) return system_error(path, "create");
  RecordFile file(path, fd);
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    return Error{path + ": another process is converting to this file; wait for it or choose another name"};
  }
  if (Status read = file.read(); !read) return read.error();
  return file;
}

Status RecordFile::read() {
  Result<Parsed> parsed = parse_file(path_);
  if (!parsed) return parsed.error();
  records_ = std::move(parsed->records);
  if (::ftruncate(fd_, static_cast<off_t>(parsed->end)) != 0) return system_error(path_, "set the size");
  return parsed->end == 0 ? write_all(fd_, path_, kMagic) : Status();
}

RecordFile& RecordFile::operator=(RecordFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  std::swap(records_, other.records_);
  return *this;
}

RecordFile::~RecordFile() {
  if (fd_ >= 0) ::close(fd_);
}

Status RecordFile::append(std::string_view record) {
  check(fd_ >= 0, "a removed file takes no records");
  const auto length = static_cast<u32>(record.size());
  const Sha256Digest digest = sha256(as_bytes(record));
  std::string text(as_text(std::as_bytes(std::span(&length, 1))));
  text += record;
  text += as_text(Bytes(digest));
  const off_t end = ::lseek(fd_, 0, SEEK_END);
  Status written = write_all(fd_, path_, text);
  // Behind half a record (the disk is full) nothing would be read again.
  if (!written && ::ftruncate(fd_, end) != 0) return system_error(path_, "set the size");
  return written;
}

Status RecordFile::sync() {
  return ::fsync(fd_) == 0 ? Status() : Status(system_error(path_, "write everything to the disk"));
}

Status RecordFile::clear() {
  records_.clear();
  if (::ftruncate(fd_, static_cast<off_t>(kMagic.size())) != 0) return system_error(path_, "set the size");
  return {};
}

void RecordFile::remove() {
  ::unlink(path_.c_str());  // before the lock goes: nobody else can have opened it meanwhile
  ::close(std::exchange(fd_, -1));
}

Result<std::vector<std::string>> read_records(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::vector<std::string>();
  Result<Parsed> parsed = parse_file(path);
  if (!parsed) return parsed.error();
  return std::move(parsed->records);
}

}  // namespace bolide
