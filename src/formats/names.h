// Names and numbers of untrusted files in messages.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/types.h"

namespace bolide::formats {

inline constexpr std::size_t kMaxTensorNameBytes = 127;

// Whether the text is 1 to kMaxTensorNameBytes visible ASCII characters (no space), as every official tensor name is.
bool is_tensor_name(std::string_view text);

// Untrusted text for a message: characters other than visible ASCII and spaces become '?', long text is cut.
std::string printable(std::string_view text);

// "1, 2, 3"
std::string listed(std::span<const u64> numbers);

}  // namespace bolide::formats
