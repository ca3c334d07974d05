#include "base/mapped_file.h"

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

// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
  // Without waiting for the writer of a named pipe, which is refused below.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return system_error(path, "open");
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) return system_error(path, "read the size");
  if (!S_ISREG(info.st_mode)) return Error{path + ": not a regular file"};
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return MappedFile(path, Bytes());
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (address == MAP_FAILED) return system_error(path, "map");
  return MappedFile(path, Bytes(static_cast<const std::byte*>(address), size));
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)), bytes_(std::exchange(other.bytes_, Bytes())) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
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
