// The types that a tensor of a GGUF file may have. Numbers and block sizes are GGUF's (spec model.md 2.2).
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "formats/weight_type.h"

namespace bolide::formats {

// Those that we read: our weights' types, and I8 for the rows of the Engram tables.
enum class GgufType : u32 { kF32 = 0, kF16 = 1, kQ8_0 = 8, kQ4_K = 12, kI8 = 24, kBF16 = 30, kMXFP4 = 39 };

// The type with this number, if we read it.
std::optional<GgufType> gguf_type(u32 number);
GgufType gguf_type(WeightType type);
// Nothing for I8, which is no type of weights.
std::optional<WeightType> weight_type(GgufType type);

std::string_view name(GgufType type);

// Why a tensor of a type that we do not read is refused, and what to do: names the type where GGUF has a name for it.
std::string unreadable_type(u32 number);

// A row is stored as whole blocks of so many elements and bytes.
struct GgufBlock {
  u64 elements;
  u64 bytes;
};
GgufBlock block_of(GgufType type);

// Bytes of a row of `columns` elements, a multiple of the block's.
u64 row_bytes(GgufType type, u64 columns);

}  // namespace bolide::formats
