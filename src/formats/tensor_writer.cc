#include "formats/tensor_writer.h"

namespace bolide::formats {

Result<PartialFile> open_partial_file(const std::string& path, u64 size_bytes, WriteMode mode) {
  switch (mode) {
    case WriteMode::kNew:
      return PartialFile::create(path, size_bytes);
    case WriteMode::kResumable:
      return PartialFile::open_resumable(path, size_bytes, PartialFile::Content::kZeros);
    case WriteMode::kResume:
      break;
  }
  return PartialFile::open_resumable(path, size_bytes, PartialFile::Content::kAsItIs);
}

}  // namespace bolide::formats
