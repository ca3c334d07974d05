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

}  // namespace

std::string partial_path(const std::string& path) {
  return path + ".partial";
}

Status refuse_existing(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return Error{path + ": is a folder; give the name of a file"};
  // Never over something that is there: not an input by mistake, not a device, not another program's file.
  struct stat there{};
  if (::lstat(path.c_str(), &there) != 0) return {};
  return Error{path + ": there is such a file already; remove it first, or choose another name"};
}

Result<PartialFile> PartialFile::open_locked(const std::string& path, u64 size_bytes) {
  if (size_bytes > u64{INT64_MAX}) return Error{fmt::format("{}: {} bytes are too many for a file", path, size_bytes)};
  if (Status is_free = refuse_existing(path); !is_free) return is_free.error();
  const std::string partial = partial_path(path);
  const int fd = ::open(partial.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return system_error(partial, "create");
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    ::close(fd);
    return Error{partial + ": another process is writing this file; wait for it or choose another name"};
  }
  return PartialFile(path, size_bytes, fd);
}

Result<PartialFile> PartialFile::create(const std::string& path, u64 size_bytes) {
  Result<PartialFile> file = open_locked(path, size_bytes);
  if (!file) return file;  // from here on the file is removed on failure
  const Result<u64> free = free_space_bytes(folder_of(path));
  if (!free) return free.error();
  const u64 available = *free + file->allocated_bytes();  // an unfinished older file gives back what it has
  if (size_bytes > available) {
    return Error{
        fmt::format("{}: needs {} bytes, but only {} are free on this disk; free {} bytes or choose another place",
                    path, size_bytes, available, size_bytes - available)};
  }
  if (::ftruncate(file->fd_, 0) != 0 || ::ftruncate(file->fd_, static_cast<off_t>(size_bytes)) != 0) {
    return system_error(partial_path(path), "set the size");
  }
  return file;
}

Result<PartialFile> PartialFile::open_resumable(const std::string& path, u64 size_bytes, Content content) {
  Result<PartialFile> file = open_locked(path, size_bytes);
  if (!file) return file;
  struct stat info{};
  if (::fstat(file->fd_, &info) != 0) return system_error(partial_path(path), "read the size");
  if (content == Content::kAsItIs && info.st_size != 0) {
    file->keep();
    if (static_cast<u64>(info.st_size) == size_bytes) return file;
    return Error{fmt::format("{}: has {} bytes, wanted are {}; remove it to start over", partial_path(path),
                             info.st_size, size_bytes)};
  }
  if (::ftruncate(file->fd_, 0) != 0 || ::ftruncate(file->fd_, static_cast<off_t>(size_bytes)) != 0) {
    return system_error(partial_path(path), "set the size");
  }
  return file;
}

PartialFile& PartialFile::operator=(PartialFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(size_bytes_, other.size_bytes_);
  std::swap(fd_, other.fd_);
  std::swap(kept_, other.kept_);
  return *this;
}

PartialFile::~PartialFile() {
  if (fd_ < 0) return;
  if (!kept_) ::unlink(partial_path(path_).c_str());  // before the lock goes: nobody else can have opened it meanwhile
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
      return Error{fmt::format("{}: the disk is full ({} bytes are still to write at byte {}); free space on it",
                               partial_path(path_), bytes.size(), offset)};
    }
    if (written < 0) return system_error(partial_path(path_), "write");
    if (written == 0)
      return Error{fmt::format("{}: the system wrote 0 of {} bytes", partial_path(path_), bytes.size())};
    offset += static_cast<u64>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Status PartialFile::read_at(u64 offset, std::span<std::byte> to) const {
  check(fd_ >= 0 && offset <= size_bytes_ && to.size() <= size_bytes_ - offset, "reads lie inside the open file");
  while (!to.empty()) {
    const ssize_t n = ::pread(fd_, to.data(), to.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error(partial_path(path_), "read");
    if (n == 0) return Error{fmt::format("{}: the file ends before byte {}", partial_path(path_), offset + 1)};
    to = to.subspan(static_cast<std::size_t>(n));
    offset += static_cast<u64>(n);
  }
  return {};
}

Status PartialFile::sync() {
  return ::fsync(fd_) == 0 ? Status() : Status(system_error(partial_path(path_), "write everything to the disk"));
}

u64 PartialFile::allocated_bytes() const {
  struct stat info{};
  return ::fstat(fd_, &info) == 0 ? static_cast<u64>(info.st_blocks) * 512 : 0;
}

Status PartialFile::commit() {
  check(fd_ >= 0, "commit() is called once");
  if (::fsync(fd_) != 0) return system_error(partial_path(path_), "write everything to the disk");
  if (::rename(partial_path(path_).c_str(), path_.c_str()) != 0) return system_error(path_, "rename the finished file");
  ::close(std::exchange(fd_, -1));
  return sync_folder(folder_of(path_));
}

Result<u64> free_space_bytes(const std::string& folder) {
  struct statvfs info{};
  if (::statvfs(folder.c_str(), &info) != 0) return system_error(folder, "read the free space");
  return static_cast<u64>(info.f_bavail) * static_cast<u64>(info.f_frsize);
}

}  // namespace bolide
