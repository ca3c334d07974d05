// A file mapped read-only into memory. Pages come in when they are touched, so a mapped 300 GB checkpoint costs nothing
// yet.
#pragma once
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace bolide {

// Owns the mapping; spans taken from bytes() live as long as it. Any thread may read.
// The file must not be truncated while it is mapped: touching a page that is gone ends the process (pitfalls B45).
class MappedFile {
 public:
  // Fails with the path and the reason of the operating system; an empty file gives an empty span.
  static Result<MappedFile> open(const std::string& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  Bytes bytes() const { return bytes_; }
  const std::string& path() const { return path_; }

 private:
  MappedFile(std::string path, Bytes bytes) : path_(std::move(path)), bytes_(bytes) {}
  std::string path_;
  Bytes bytes_;
};

// The whole content of a small file (configuration, prompts). Refuses more than `limit_bytes`.
Result<std::string> read_text_file(const std::string& path, u64 limit_bytes);

}  // namespace bolide
