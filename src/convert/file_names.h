// Names of the files that `convert` makes: NAME.bolide holds the weights, NAME.engram beside it the Engram rows; in
// GGUF form NAME.gguf holds both, NAME-draft.gguf the drafter.
#pragma once
#include <string>
#include <string_view>

namespace bolide::convert {

inline constexpr std::string_view kPackedExtension = ".bolide";
inline constexpr std::string_view kEngramExtension = ".engram";
inline constexpr std::string_view kGgufExtension = ".gguf";

// The rows file that belongs to a packed file: "nano.bolide" has "nano.engram"; a name without our extension keeps its
// own and gets ours behind it.
inline std::string engram_path(std::string_view packed_path) {
  if (packed_path.ends_with(kPackedExtension)) packed_path.remove_suffix(kPackedExtension.size());
  return std::string(packed_path) + std::string(kEngramExtension);
}

// The drafter's file beside a GGUF: "nano.gguf" has "nano-draft.gguf".
inline std::string gguf_draft_path(std::string_view gguf_path) {
  if (gguf_path.ends_with(kGgufExtension)) gguf_path.remove_suffix(kGgufExtension.size());
  return std::string(gguf_path) + "-draft" + std::string(kGgufExtension);
}

}  // namespace bolide::convert
