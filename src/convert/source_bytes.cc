#include "convert/source_bytes.h"

#include <algorithm>

#include "base/check.h"

namespace bolide::convert {
namespace {

constexpr u64 kReadBytes = 1 << 20;

}  // namespace

Result<Bytes> SourceBytes::at(u64 first, u64 n) {
  check(first <= range_.bytes && n <= range_.bytes - first, "a tensor is read inside its bytes");
  if (first < first_ || first + n > first_ + filled_) {
    const u64 ahead = std::min(n * std::max<u64>(kReadBytes / std::max<u64>(n, 1), 1), range_.bytes - first);
    if (buffer_.size() < ahead) buffer_.resize(ahead);
    filled_ = 0;
    const auto piece = std::span(buffer_).first(ahead);
    if (Status read = range_.file->read_at(range_.offset + first, piece); !read) return read.error();
    if (check_) {
      if (Status good = check_(first, piece); !good) return good.error();
    }
    first_ = first;
    filled_ = ahead;
  }
  return Bytes(buffer_).subspan(first - first_, n);
}

}  // namespace bolide::convert
