// Whether this thread's float unit flushes subnormals to zero. A1 gives the same bits either way (design: arithmetic.md
// rule 0); tests run both ways, backends flush for speed.
#pragma once
#include "base/types.h"

namespace bolide {

// Sets the mode for the calling thread; the destructor restores what was.
class FlushMode {
 public:
  explicit FlushMode(bool flush);
  FlushMode(const FlushMode&) = delete;
  FlushMode& operator=(const FlushMode&) = delete;
  ~FlushMode();

 private:
  u64 saved_;
};

}  // namespace bolide
