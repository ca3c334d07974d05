#include "base/mapped_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace bolide {
namespace {

Error system_error(const std::string& path, const char* what) {
  return {fmt::format("{}: cannot {}: {}", path, what, std::strerror(errno))};
}

i64 time_of_change_ns(const struct stat& info) {
#ifdef __APPLE__
  const timespec& time = info.st_mtimespec;
#else
  const timespec& time = info.st_mtim;
#endif
  return i64{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
  // Without waiting for the writer of a named pipe, which is refused below.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return system_error(path, "open");
  MappedFile file(path, Bytes(), fd, 0);  // from here on the file is closed on failure
  struct stat info{};
  if (::fstat(fd, &info) != 0) return system_error(path, "read the size");
  if (!S_ISREG(info.st_mode)) return Error{path + ": not a regular file"};
  file.modified_ns_ = time_of_change_ns(info);
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return file;
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  if (address == MAP_FAILED) return system_error(path, "map");
  file.bytes_ = Bytes(static_cast<const std::byte*>(address), size);
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      bytes_(std::exchange(other.bytes_, Bytes())),
      fd_(std::exchange(other.fd_, -1)),
      modified_ns_(other.modified_ns_) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(bytes_, other.bytes_);
  std::swap(fd_, other.fd_);
  std::swap(modified_ns_, other.modified_ns_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  if (fd_ >= 0) ::close(fd_);
}

Status MappedFile::read_at(u64 offset, std::span<std::byte> to) const {
  if (is_gone()) return Error{fmt::format("{}: the file is not there any more", path_)};
  constexpr std::size_t kLargestRead = 1 << 30;  // macOS refuses more than 2^31 - 1
  while (!to.empty()) {
    const ssize_t n = ::pread(fd_, to.data(), std::min(to.size(), kLargestRead), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error(path_, "read");
    if (n == 0) {
      return Error{fmt::format("{}: the file ends before byte {}; it was cut while in use", path_, offset + 1)};
    }
    to = to.subspan(static_cast<std::size_t>(n));
    offset += static_cast<u64>(n);
  }
  return {};
}

Result<std::string> read_text_file(const std::string& path, u64 limit_bytes) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  if (file->bytes().size() > limit_bytes) {
    return Error{fmt::format("{}: {} bytes, more than the {} bytes such a file may have", path, file->bytes().size(),
                             limit_bytes)};
  }
  return std::string(as_text(file->bytes()));
}

}  // namespace bolide
