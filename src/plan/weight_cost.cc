#include "plan/weight_cost.h"

#include "base/check.h"

namespace bolide::plan {

ops::Cost product_cost(formats::WeightType type, u64 experts, u64 matrix_rows, u64 k, u64 rows) {
  const Result<formats::PlaneBytes> bytes = formats::plane_bytes({type, formats::Form::kTiled, 1, matrix_rows, k});
  check(bool(bytes), "Config allows only matrices that the packed file can hold");
  ops::Cost cost;
  cost.weight_bytes = experts * (bytes->codes + bytes->scales);
  if (formats::is_quantized(type)) {
    cost.integer_operations = 2 * rows * matrix_rows * k;
    // Per block of 32 the product of the factors and one fma; Q4_K has both twice.
    cost.float_operations = rows * matrix_rows * (k / 32) * (type == formats::WeightType::kQ4_K ? 6 : 3);
  } else {
    cost.float_operations = 2 * rows * matrix_rows * k;
  }
  return cost;
}

ops::Cost vector_cost(formats::WeightType type, u64 values) {
  return {values * formats::float_bytes(type), 0, 0};
}

ops::Cost operator+(const ops::Cost& a, const ops::Cost& b) {
  return {a.weight_bytes + b.weight_bytes, a.integer_operations + b.integer_operations,
          a.float_operations + b.float_operations};
}

}  // namespace bolide::plan
