// Bytes of a tensor where its file has them, read piece by piece into memory of bounded size. (Not through a mapping: a
// source that is cut while it is converted must end the conversion, not the process, and its pages would count as
// ours.)
#pragma once
#include <functional>
#include <vector>

#include "base/mapped_file.h"

namespace bolide::convert {

// `file` stays open as long as the range is used.
struct SourceRange {
  const MappedFile* file = nullptr;
  u64 offset = 0;
  u64 bytes = 0;
};

// Reads a range from front to back, ahead of what is asked for. Used by one thread.
class SourceBytes {
 public:
  // Looks at every piece that was read, once; `first` is its place in the range.
  using Check = std::function<Status(u64 first, Bytes piece)>;

  // Pieces for the check begin and end where those that are asked for do.
  explicit SourceBytes(const SourceRange& range, Check check = {}) : range_(range), check_(std::move(check)) {}

  u64 size() const { return range_.bytes; }

  // Bytes [first, first + n) of the range, good until the next call.
  Result<Bytes> at(u64 first, u64 n);

 private:
  SourceRange range_;
  Check check_;
  u64 first_ = 0;  // of what the buffer holds
  u64 filled_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace bolide::convert
