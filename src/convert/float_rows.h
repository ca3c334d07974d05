// Rows of numbers as binary32, decoded from and encoded in the types of files.
#pragma once
#include <span>

#include "base/bytes.h"
#include "formats/gguf_type.h"

namespace bolide::convert {

// F32, F16, BF16 and Q8_0 blocks; exact. `row` holds as many elements as `values`.
void decode_row(formats::GgufType type, Bytes row, std::span<float> values);

// To F32, F16 or BF16, rounded to nearest even. False where a value that is finite is none any more.
bool encode_row(formats::WeightType type, std::span<const float> values, std::span<std::byte> row);

bool all_finite(std::span<const float> values);

}  // namespace bolide::convert
