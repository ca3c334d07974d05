// The table of a packed file for a model's tensors.
#pragma once
#include <vector>

#include "formats/packed_file.h"
#include "model/tensors.h"

namespace bolide::convert {

// One entry per tensor, in order: official name, class label, and the shape and type it has by its role.
std::vector<formats::PackedSpec> packed_specs(const std::vector<model::TensorSpec>& specs);

}  // namespace bolide::convert
