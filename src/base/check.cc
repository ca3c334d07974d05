#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace bolide {

void check_failed(const char* why, const std::source_location& where) {
  std::fprintf(stderr, "bolide: a promise of our own was broken at %s:%u (%s): %s\nThis is a bug; please report it.\n",
               where.file_name(), static_cast<unsigned>(where.line()), where.function_name(), why);
  std::abort();
}

}  // namespace bolide
