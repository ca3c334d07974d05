// Files that appear only when they are whole: written as PATH.partial, then synced and renamed.
#pragma once
#include <span>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"

namespace bolide {

// Owns an open PATH.partial, locked against a second writer; removes it when destroyed before commit(), unless it is to
// be kept. Threads: write_at, read_at and sync may be called by several threads at once.
class PartialFile {
 public:
  // Creates PATH.partial with `size_bytes` bytes (zeros until written), after checking that PATH is free and that the
  // disk has room for them.
  static Result<PartialFile> create(const std::string& path, u64 size_bytes);

  // The same for work that may go on after an interruption: the file outlives this object once keep() was called, and
  // is opened again as it is (it must have that size, or not be there). The caller looks after the room on the disk.
  enum class Content : u8 { kZeros, kAsItIs };
  static Result<PartialFile> open_resumable(const std::string& path, u64 size_bytes, Content content);

  PartialFile(PartialFile&& other) noexcept
      : path_(std::move(other.path_)),
        size_bytes_(other.size_bytes_),
        fd_(std::exchange(other.fd_, -1)),
        kept_(other.kept_) {}
  PartialFile& operator=(PartialFile&& other) noexcept;
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
  ~PartialFile();

  // Writes all of `bytes`; a full disk or a short write is an error. The range lies inside the file.
  Status write_at(u64 offset, Bytes bytes);

  // Fills `to` with what was written; the range lies inside the file.
  Status read_at(u64 offset, std::span<std::byte> to) const;

  // Returns when everything written so far is on the disk.
  Status sync();

  // Without commit() the file stays for a later open_resumable().
  void keep() { kept_ = true; }

  // Bytes of it that have their room on the disk already.
  u64 allocated_bytes() const;

  // Syncs the content, gives the file its name (replacing an older one) and syncs the folder. Once.
  Status commit();

 private:
  PartialFile(std::string path, u64 size_bytes, int fd) : path_(std::move(path)), size_bytes_(size_bytes), fd_(fd) {}
  static Result<PartialFile> open_locked(const std::string& path, u64 size_bytes);

  std::string path_;
  u64 size_bytes_;
  int fd_;
  bool kept_ = false;
};

// PATH.partial
std::string partial_path(const std::string& path);

// An error where something has the name already, a folder or a dangling link too: an output never replaces a file.
Status refuse_existing(const std::string& path);

// Bytes that may still be written to the file system that holds `folder`.
Result<u64> free_space_bytes(const std::string& folder);

}  // namespace bolide
