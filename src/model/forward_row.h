// Internal to Forward: one row (position) of a step on its way through the layers.
#pragma once
#include <vector>

#include "model/block.h"
#include "model/forward.h"

namespace bolide::model {

struct Forward::Row {
  u64 position;
  bool image;
  Streams streams;
  std::vector<u32> selected;          // compressed rows of the layer group, ascending
  std::vector<u32> candidate_blocks;  // of the candidate source, ascending
};

// An Error naming position and place where `values` are not all finite.
Status check_finite(std::span<const float> values, u64 position, std::string_view place);

}  // namespace bolide::model
