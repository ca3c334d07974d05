// Where everything lies in a packed file (docs/packed-file.md).
#pragma once
#include <array>
#include <vector>

#include "base/result.h"
#include "formats/packed_file.h"

namespace bolide::formats {

// Header, table, documents (config, tokenizer, Engram constants), tensors in the order of the table. Version 1 leaves
// no choice, so readers compare and writers obey.
struct PackedPlan {
  u64 table_offset = 0;
  std::array<u64, 3> document_offsets{};
  std::vector<Placement> tensors;
  u64 file_bytes = 0;
};

// Fails where a name is there twice or a shape cannot be.
Result<PackedPlan> plan_packed_file(const std::vector<PackedSpec>& specs, const std::array<u64, 3>& document_bytes);

}  // namespace bolide::formats
