// The number formats in which packed weights are stored. Numbers and names are GGUF's.
#pragma once
#include <optional>
#include <string_view>

#include "base/types.h"

namespace bolide::formats {

enum class WeightType : u32 { kF32 = 0, kF16 = 1, kQ8_0 = 8, kQ4_K = 12, kBF16 = 30, kMXFP4 = 39 };

// The type with this number, if it is one of ours.
std::optional<WeightType> weight_type(u32 number);

std::string_view name(WeightType type);

// Whether elements are codes in blocks of 32 with scales apart.
bool is_quantized(WeightType type);

// Bytes of one element of a float type.
u64 float_bytes(WeightType type);

}  // namespace bolide::formats
