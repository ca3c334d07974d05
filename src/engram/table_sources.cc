#include "engram/table_sources.h"

#include <fmt/format.h>

namespace bolide::engram {
namespace {

// The plane of a checkpoint's tensor of one byte an element.
Result<RowPlane> plane(const formats::Checkpoint& checkpoint, std::string_view name, formats::DType dtype, u64 rows,
                       u64 columns) {
  const formats::Tensor* tensor = checkpoint.find(name);
  if (tensor == nullptr) return Error{fmt::format("the checkpoint has no tensor {}", name)};
  if (tensor->dtype != dtype || tensor->shape != std::vector<u64>{rows, columns}) {
    return Error{fmt::format("tensor {} is {}, but the configuration wants {} [{}, {}]", name,
                             formats::describe(*tensor), formats::name(dtype), rows, columns)};
  }
  return RowPlane{checkpoint.shards()[tensor->shard].path(), tensor->file_offset, columns};
}

}  // namespace

Result<std::vector<TableSource>> table_sources(const formats::EngramFile& file, const EngramShape& shape) {
  if (file.tables.size() != shape.layer_ids.size()) {
    return Error{fmt::format("{}: has {} Engram tables, but the model has {}", file.path, file.tables.size(),
                             shape.layer_ids.size())};
  }
  const u64 row_bytes = u64{shape.head_dim} + shape.head_dim / 32;
  std::vector<TableSource> sources;
  for (std::size_t i = 0; i < file.tables.size(); ++i) {
    const formats::EngramTable& table = file.tables[i];
    const auto& [layer, rows, bytes] = table.spec;
    if (layer != shape.layer_ids[i] || rows != shape.rows[i] || bytes != row_bytes) {
      return Error{fmt::format(
          "{}: table {} is of layer {} with {} rows of {} bytes, but the model wants layer {} with {} rows of {} bytes",
          file.path, i, layer, rows, bytes, shape.layer_ids[i], shape.rows[i], row_bytes)};
    }
    sources.push_back(
        {{file.path, table.offset, row_bytes}, {file.path, table.offset + shape.head_dim, row_bytes}, shape.rows[i]});
  }
  return sources;
}

Result<TableSource> table_source(const formats::Checkpoint& checkpoint, std::string_view codes_name,
                                 std::string_view scales_name, u64 rows, u32 head_dim) {
  const Result<RowPlane> codes = plane(checkpoint, codes_name, formats::DType::kF8E4M3, rows, head_dim);
  if (!codes) return codes.error();
  const Result<RowPlane> scales = plane(checkpoint, scales_name, formats::DType::kF8E8M0, rows, head_dim / 32);
  if (!scales) return scales.error();
  return TableSource{*codes, *scales, rows};
}

}  // namespace bolide::engram
