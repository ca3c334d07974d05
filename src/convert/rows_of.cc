#include "convert/rows_of.h"

#include <filesystem>
#include <fmt/format.h>

#include "convert/file_names.h"

namespace bolide::convert {

Result<formats::EngramFile> open_rows_of(const std::string& packed_path) {
  const std::string path = engram_path(packed_path);
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return formats::open_engram_file(path);
  return Error{
      fmt::format("{}: its Engram rows are missing: they should be beside it in {}, as `convert` wrote them; copy or "
                  "move that file "
                  "here, too, or convert again",
                  packed_path, path)};
}

}  // namespace bolide::convert
