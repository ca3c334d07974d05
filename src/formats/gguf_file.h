// An open GGUF model: one file, or the parts NAME-00001-of-0000N.gguf that a splitting tool made, each with a header of
// its own (keys split.*). (Pieces of a file that was simply cut are joined by `cat` first.)
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "formats/gguf_header.h"

namespace bolide::formats {

// Owns the mappings. Movable; any thread may read.
class GgufFile {
 public:
  // Any part of a split model stands for all of them. Touches only headers.
  static Result<GgufFile> open(const std::string& path);

  // One whole file over bytes that the caller keeps; `path` names them in errors.
  static Result<GgufFile> from_memory(std::string path, Bytes bytes);

  // As it was opened, for messages.
  const std::string& path() const { return path_; }
  // The files, the first part first. (Empty over memory.)
  const std::vector<MappedFile>& files() const { return files_; }

  // By part, inside a part in the order of its header.
  const std::vector<GgufTensor>& tensors() const { return tensors_; }
  // nullptr where there is no such tensor.
  const GgufTensor* find(std::string_view name) const;

  // The metadata of the first part, in the order of the file.
  const std::vector<GgufEntry>& values() const { return values_; }
  // nullptr where there is no such key.
  const GgufValue* value(std::string_view key) const;

 private:
  GgufFile() = default;
  Status add_part(const std::string& path, Bytes bytes, u64 index, u64 count);
  Status open_part(const std::string& path, u64 index, u64 count);

  std::string path_;
  std::vector<MappedFile> files_;
  std::vector<GgufTensor> tensors_;
  std::vector<GgufEntry> values_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::unordered_map<std::string_view, std::size_t> by_key_;
};

}  // namespace bolide::formats
