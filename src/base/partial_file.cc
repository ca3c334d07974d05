#include "base/partial_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace bolide {
namespace {

Error system_error(const std::string& path, const char* what) {
  return {fmt::format("{}: cannot {}: {}", path, what, std::strerror(errno))};
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// A renamed file is safe only when its folder is on the disk too.
Status sync_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return system_error(folder, "open the folder");
  const bool synced = ::fsync(fd) == 0 || errno == EINVAL;  // some file systems have no folder sync
  Status status = synced ? Status() : Status(system_error(folder, "sync the folder"));
  ::close(fd);
  return status;
}

// The bytes that an unfinished older file will give back.
u64 allocated_bytes(int fd) {
  struct stat info{};
  return ::fstat(fd, &info) == 0 ? static_cast<u64>(info.st_blocks) * 512 : 0;
}

}  // namespace

Result<PartialFile> PartialFile::create(const std::string& path, u64 size_bytes) {
  if (size_bytes > u64{INT64_MAX}) return Error{fmt::format("{}: {} bytes are too many for a file", path, size_bytes)};
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return Error{path + ": is a folder; give the name of a file"};
  // Never over something that is there: not an input by mistake, not a device, not another program's file.
  struct stat there{};
  if (::lstat(path.c_str(), &there) == 0) {
    return Error{path + ": there is such a file already; remove it first, or choose another name"};
  }
  const std::string partial = path + ".partial";
  const int fd = ::open(partial.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return system_error(partial, "create");
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    ::close(fd);
    return Error{partial + ": another process is writing this file; wait for it or choose another name"};
  }
  PartialFile file(path, size_bytes, fd);  // from here on the file is removed on failure
  const Result<u64> free = free_space_bytes(folder_of(path));
  if (!free) return free.error();
  const u64 available = *free + allocated_bytes(fd);
  if (size_bytes > available) {
    return Error{
        fmt::format("{}: needs {} bytes, but only {} are free on this disk; free {} bytes or choose another place",
                    path, size_bytes, available, size_bytes - available)};
  }
  if (::ftruncate(fd, 0) != 0 || ::ftruncate(fd, static_cast<off_t>(size_bytes)) != 0) {
    return system_error(partial, "set the size");
  }
  return file;
}

PartialFile& PartialFile::operator=(PartialFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(size_bytes_, other.size_bytes_);
  std::swap(fd_, other.fd_);
  return *this;
}

PartialFile::~PartialFile() {
  if (fd_ < 0) return;
  ::unlink(partial_path().c_str());  // before the lock goes: nobody else can have opened it meanwhile
  ::close(fd_);
}

Status PartialFile::write_at(u64 offset, Bytes bytes) {
  check(fd_ >= 0 && offset <= size_bytes_ && bytes.size() <= size_bytes_ - offset, "writes lie inside the open file");
  constexpr std::size_t kLargestWrite = 1 << 30;  // macOS refuses more than 2^31 - 1
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(fd_, bytes.data(), std::min(bytes.size(), kLargestWrite), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && (errno == ENOSPC || errno == EDQUOT)) {
      return Error{
          fmt::format("{}: the disk is full ({} bytes are still to write at byte {}); free space and start again",
                      partial_path(), bytes.size(), offset)};
    }
    if (written < 0) return system_error(partial_path(), "write");
    if (written == 0) return Error{fmt::format("{}: the system wrote 0 of {} bytes", partial_path(), bytes.size())};
    offset += static_cast<u64>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Status PartialFile::commit() {
  check(fd_ >= 0, "commit() is called once");
  if (::fsync(fd_) != 0) return system_error(partial_path(), "write everything to the disk");
  if (::rename(partial_path().c_str(), path_.c_str()) != 0) return system_error(path_, "rename the finished file");
  ::close(std::exchange(fd_, -1));
  return sync_folder(folder_of(path_));
}

Result<u64> free_space_bytes(const std::string& folder) {
  struct statvfs info{};
  if (::statvfs(folder.c_str(), &info) != 0) return system_error(folder, "read the free space");
  return static_cast<u64>(info.f_bavail) * static_cast<u64>(info.f_frsize);
}

}  // namespace bolide
