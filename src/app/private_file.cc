#include "app/private_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace bolide::app {
namespace {

Error system_error(const std::string& path, const char* what) {
  return {fmt::format("{}: cannot {}: {}", path, what, std::strerror(errno))};
}

// Removes the file where it did not get its name.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& path) : name_(path + ".XXXXXX"), fd_(::mkostemp(name_.data(), O_CLOEXEC)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (fd_ < 0) return;
    ::unlink(name_.c_str());
    ::close(fd_);
  }

  bool opened() const { return fd_ >= 0; }  // with mode 0600
  bool write(std::string_view content) const {
    while (!content.empty()) {
      const ssize_t count = ::write(fd_, content.data(), content.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      content.remove_prefix(static_cast<std::size_t>(count));
    }
    return ::fsync(fd_) == 0;
  }
  // Fails where the path is taken; no other program can take it in between.
  bool become_new(const std::string& path) const {
    if (::link(name_.c_str(), path.c_str()) == 0) return true;
    const bool no_links = errno == EPERM || errno == ENOTSUP || errno == ENOSYS;  // FAT, some network disks
    return no_links && ::access(path.c_str(), F_OK) != 0 && ::rename(name_.c_str(), path.c_str()) == 0;
  }
  bool replace(const std::string& path) const { return ::rename(name_.c_str(), path.c_str()) == 0; }

 private:
  std::string name_;
  int fd_;
};

void sync_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int fd = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

Status write_private_file(const std::string& path, std::string_view content, Existing existing) {
  struct stat there{};
  if (::stat(path.c_str(), &there) == 0) {
    if (S_ISDIR(there.st_mode)) return Error{path + ": is a folder; give the name of a file"};
    if (!S_ISREG(there.st_mode)) return Error{path + ": not a regular file"};
    if (existing == Existing::kRefuse) return Error{path + ": there is such a file already; choose another name"};
  }
  const TemporaryFile file(path);
  if (!file.opened()) return system_error(path, "create the file");
  if (!file.write(content)) return system_error(path, "write");
  const bool named = existing == Existing::kReplace ? file.replace(path) : file.become_new(path);
  if (!named) return system_error(path, "give the file its name");
  sync_folder_of(path);
  return {};
}

}  // namespace bolide::app
