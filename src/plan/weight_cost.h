// What products with weights cost: bytes by the packed file's layout, operations by the rules of the arithmetic.
#pragma once
#include "formats/packed_layout.h"
#include "ops/ops.h"

namespace bolide::plan {

// `experts` matrices of this type and size, each read once and used by `rows` rows in all.
ops::Cost product_cost(formats::WeightType type, u64 experts, u64 matrix_rows, u64 k, u64 rows);
// Values that are read and used as they are: norms, biases.
ops::Cost vector_cost(formats::WeightType type, u64 values);

ops::Cost operator+(const ops::Cost& a, const ops::Cost& b);

}  // namespace bolide::plan
