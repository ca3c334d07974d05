#include "formats/packed_plan.h"

#include <fmt/format.h>
#include <string_view>
#include <unordered_set>

#include "formats/checked_size.h"
#include "formats/packed_header.h"

namespace bolide::formats {

Result<PackedPlan> plan_packed_file(const std::vector<PackedSpec>& specs, const std::array<u64, 3>& document_bytes) {
  PackedPlan plan;
  plan.table_offset = kPackedHeaderBytes;
  CheckedSize free = CheckedSize(specs.size()) * kPackedRecordBytes + plan.table_offset;
  for (std::size_t i = 0; i < document_bytes.size(); ++i) {
    if (!free.value()) return Error{"the documents are more than a file can hold"};
    plan.document_offsets[i] = *free.value();
    free = free + document_bytes[i];
  }
  std::unordered_set<std::string_view> names;
  plan.tensors.reserve(specs.size());
  for (const PackedSpec& spec : specs) {
    if (!names.insert(spec.name).second) return Error{fmt::format("tensor {}: its name is there twice", spec.name)};
    if (!free.value()) return Error{fmt::format("tensor {}: it begins beyond what a file can hold", spec.name)};
    const Result<Placement> placement = place(spec.shape, *free.value());
    if (!placement) return Error{fmt::format("tensor {}: {}", spec.name, placement.error().message)};
    plan.tensors.push_back(*placement);
    free = CheckedSize(placement->end());
  }
  const CheckedSize file_bytes = free.rounded_up(kTensorAlignment);
  if (!file_bytes.value()) return Error{"the tensors are more than a file can hold"};
  plan.file_bytes = *file_bytes.value();
  return plan;
}

}  // namespace bolide::formats
