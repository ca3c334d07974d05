// A file mapped read-only into memory. Pages come in when they are touched, so a mapped 300 GB checkpoint costs nothing
// yet.
#pragma once
#include <span>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace bolide {

// Owns the mapping and the open file; spans taken from bytes() live as long as it. Any thread may read.
// The file must not be truncated while bytes() are read: touching a page that is gone ends the process (pitfalls B45).
// read_at() has no such limit.
class MappedFile {
 public:
  // Fails with the path and the reason of the operating system; an empty file gives an empty span.
  static Result<MappedFile> open(const std::string& path);

  // Stands for a file that is not there any more: it has no bytes, and reading is an error.
  static MappedFile gone(std::string path) { return {std::move(path), Bytes(), -1, 0}; }

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  Bytes bytes() const { return bytes_; }
  const std::string& path() const { return path_; }
  // When it was last written to, in nanoseconds since 1970, as it was opened.
  i64 modified_ns() const { return modified_ns_; }
  bool is_gone() const { return fd_ < 0; }

  // Fills `to` with the bytes from `offset` on. A file that was cut meanwhile is an error like any other.
  Status read_at(u64 offset, std::span<std::byte> to) const;

 private:
  MappedFile(std::string path, Bytes bytes, int fd, i64 modified_ns)
      : path_(std::move(path)), bytes_(bytes), fd_(fd), modified_ns_(modified_ns) {}
  std::string path_;
  Bytes bytes_;
  int fd_;
  i64 modified_ns_;
};

// The whole content of a small file (configuration, prompts). Refuses more than `limit_bytes`.
Result<std::string> read_text_file(const std::string& path, u64 limit_bytes);

}  // namespace bolide
