// What the writers of large files have in common: tensors whose places are known first, filled piece by piece, by
// several threads, and after an interruption from where it was.
#pragma once
#include "base/partial_file.h"
#include "base/sha256.h"

namespace bolide::formats {

// How an output file begins.
enum class WriteMode : u8 {
  kNew,        // anew, if the disk has room; gone when its writer is destroyed before the end
  kResumable,  // anew; PartialFile::keep() keeps it for kResume; the caller looks after the room
  kResume,     // with what an earlier writer left
};

Result<PartialFile> open_partial_file(const std::string& path, u64 size_bytes, WriteMode mode);

// A tensor's bytes in the file.
struct WriteRange {
  u64 offset = 0;
  u64 bytes = 0;
};

// Threads: different tensors may be appended to, or restored, by different threads at the same time.
class TensorWriter {
 public:
  TensorWriter() = default;
  TensorWriter(TensorWriter&&) = default;
  TensorWriter& operator=(TensorWriter&&) = default;
  TensorWriter(const TensorWriter&) = delete;
  TensorWriter& operator=(const TensorWriter&) = delete;
  virtual ~TensorWriter() = default;

  virtual WriteRange range(std::size_t tensor) const = 0;

  // The next bytes of a tensor, in pieces of any size.
  virtual Status append(std::size_t tensor, Bytes piece) = 0;

  // Of a tensor that was appended in full; zeros where the format names no hash.
  virtual Sha256Digest digest(std::size_t tensor) const = 0;

  // Instead of appending: the first `bytes` of the tensor's range are in the file, all of them, or a part where the
  // tensor has no padding. `digest`: what digest() gave, of a tensor that is whole.
  virtual Status restore(std::size_t tensor, u64 bytes, const Sha256Digest& digest) = 0;

  // Once, after every tensor is whole: what makes the file complete but for its name.
  virtual Status write_header() = 0;

  // Of a writer to a file.
  virtual PartialFile& file() = 0;
};

}  // namespace bolide::formats
