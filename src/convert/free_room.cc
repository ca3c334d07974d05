#include "convert/free_room.h"

#include <filesystem>
#include <fmt/format.h>

#include "base/partial_file.h"

namespace bolide::convert {

Status check_room(const std::string& path, u64 bytes_of_all) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const Result<u64> free = free_space_bytes(folder.empty() ? "." : folder);
  if (!free) return free.error();
  if (bytes_of_all <= *free) return {};
  return Error{fmt::format(
      "{}: all files together need {} bytes, but only {} are free on this disk; free {} bytes or choose another place",
      path, bytes_of_all, *free, bytes_of_all - *free)};
}

}  // namespace bolide::convert
