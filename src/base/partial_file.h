// Files that appear only when they are whole: written as PATH.partial, then synced and renamed.
#pragma once
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"

namespace bolide {

// Owns an open PATH.partial, locked against a second writer; removes it when destroyed before commit().
// Threads: write_at may be called by several threads at once.
class PartialFile {
 public:
  // Creates PATH.partial with `size_bytes` bytes (zeros until written), after checking that PATH is free and that the
  // disk has room for them.
  static Result<PartialFile> create(const std::string& path, u64 size_bytes);

  PartialFile(PartialFile&& other) noexcept
      : path_(std::move(other.path_)), size_bytes_(other.size_bytes_), fd_(std::exchange(other.fd_, -1)) {}
  PartialFile& operator=(PartialFile&& other) noexcept;
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
  ~PartialFile();

  // Writes all of `bytes`; a full disk or a short write is an error. The range lies inside the file.
  Status write_at(u64 offset, Bytes bytes);

  // Syncs the content, gives the file its name (replacing an older one) and syncs the folder. Once.
  Status commit();

 private:
  PartialFile(std::string path, u64 size_bytes, int fd) : path_(std::move(path)), size_bytes_(size_bytes), fd_(fd) {}
  std::string partial_path() const { return path_ + ".partial"; }

  std::string path_;
  u64 size_bytes_;
  int fd_;
};

// Bytes that may still be written to the file system that holds `folder`.
Result<u64> free_space_bytes(const std::string& folder);

}  // namespace bolide
