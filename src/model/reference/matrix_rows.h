// Rows of a checkpoint's matrices as binary32 (spec model.md 2.1).
#pragma once
#include <span>

#include "model/weights.h"

namespace bolide::model {

// The exact values of one row of a kBf16, kFp8 or kFp4 matrix, of the quantized ones without their scales. `values` has
// w.k elements.
void decode_codes(const Matrix& w, u32 row, std::span<float> values);
// The scale of columns 32 group .. 32 group + 31 of one row: a power of two.
float scale_of(const Matrix& w, u32 row, u32 group);

}  // namespace bolide::model
