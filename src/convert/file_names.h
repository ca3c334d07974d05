// Names of the files that `convert` makes: NAME.bolide holds the weights, NAME.engram beside it the Engram rows.
#pragma once
#include <string>
#include <string_view>

namespace bolide::convert {

inline constexpr std::string_view kPackedExtension = ".bolide";
inline constexpr std::string_view kEngramExtension = ".engram";

// The rows file that belongs to a packed file: "nano.bolide" has "nano.engram"; a name without our extension keeps its
// own and gets ours behind it.
inline std::string engram_path(std::string_view packed_path) {
  if (packed_path.ends_with(kPackedExtension)) packed_path.remove_suffix(kPackedExtension.size());
  return std::string(packed_path) + std::string(kEngramExtension);
}

}  // namespace bolide::convert
