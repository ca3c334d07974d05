// What the numbers of each tensor of a synthetic model are: their rules by role, such that activations stay sane
// (docs/decisions/0014-synthetic-models.md). Matrices have a root mean square of about 1 / sqrt(K), looked-up rows one
// of about 1, norm weights are near 1.
#pragma once
#include <optional>

#include "convert/synth_numbers.h"
#include "model/tensors.h"

namespace bolide::convert {

// One tensor, or one expert of a stack.
struct TensorPlanes {
  NumberPlane codes;
  std::optional<NumberPlane> scales;
};

// As a packed file holds it (spec.packed says the type).
TensorPlanes packed_planes(const model::TensorSpec& spec, u64 expert);

// As the official checkpoint holds it: rows of codes, scales apart.
TensorPlanes checkpoint_planes(const model::TensorSpec& spec, u64 expert);

// An Engram table, as the official checkpoint holds it. A `.engram` file has the same numbers, row by row.
TensorPlanes engram_planes(u32 layer, u64 rows, u32 head_dim);

}  // namespace bolide::convert
