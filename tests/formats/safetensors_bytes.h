// Builds safetensors files for tests.
#pragma once
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace bolide::formats {

// A file with this header text and payload.
inline std::string safetensors_bytes(std::string_view header, std::string_view payload) {
  const u64 length = header.size();
  return std::string(as_text(std::as_bytes(std::span(&length, 1)))).append(header).append(payload);
}

}  // namespace bolide::formats
