#include "app/text_input.h"

#include "app/standard_streams.h"
#include "base/mapped_file.h"

namespace bolide::app {

Result<std::string> read_text_input(const std::string& path) {
  constexpr u64 kLimitBytes = u64{1} << 30;
  return path == "-" ? read_stdin(kLimitBytes) : read_text_file(path, kLimitBytes);
}

}  // namespace bolide::app
