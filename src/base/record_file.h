// A file of records, each appended whole or not at all: the journal of work that may be interrupted at any moment.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace bolide {

// Owns the open file, locked against a second user. A record that was being written when the process or the machine
// stopped is cut off when the file is opened again. Used by one thread at a time.
class RecordFile {
 public:
  // Opens `path`, or makes it. A file of another kind is refused and stays as it is.
  static Result<RecordFile> open(const std::string& path);

  RecordFile(RecordFile&& other) noexcept
      : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), records_(std::move(other.records_)) {}
  RecordFile& operator=(RecordFile&& other) noexcept;
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;
  ~RecordFile();

  const std::string& path() const { return path_; }
  // Those that were there when the file was opened.
  const std::vector<std::string>& records() const { return records_; }

  // Safe only after sync().
  Status append(std::string_view record);
  // Returns when everything appended so far is on the disk.
  Status sync();
  // Forgets all records.
  Status clear();
  // The file is not needed any more; nothing is appended afterwards.
  void remove();

 private:
  RecordFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  Status read();

  std::string path_;
  int fd_;
  std::vector<std::string> records_;
};

// The records of a file that may not exist, without changing or locking it.
Result<std::vector<std::string>> read_records(const std::string& path);

}  // namespace bolide
