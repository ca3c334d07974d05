#include "convert/synth_rows.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/check.h"
#include "convert/synth_rules.h"

namespace bolide::convert {
namespace {

// Bytes [offset, offset + out.size()) of a plane at any offset.
void fill_part(u64 seed, const NumberPlane& plane, u64 offset, std::span<std::byte> out) {
  const u64 skipped = offset % 16;
  std::vector<std::byte> groups(skipped + out.size());
  fill_numbers(seed, plane, offset - skipped, groups);
  std::copy(groups.begin() + static_cast<std::ptrdiff_t>(skipped), groups.end(), out.begin());
}

}  // namespace

SynthRows::SynthRows(u64 seed, const engram::EngramShape& shape) : RowReader(shape.head_dim), seed_(seed) {
  for (std::size_t i = 0; i < shape.layer_ids.size(); ++i) {
    TensorPlanes planes = engram_planes(shape.layer_ids[i], shape.rows[i], shape.head_dim);
    tables_.push_back({shape.rows[i], std::move(planes.codes), *std::move(planes.scales)});
  }
}

Status SynthRows::read(u32 table, std::span<const u64> rows, std::span<std::byte> out) const {
  check(table < tables_.size() && out.size() == rows.size() * row_bytes(), "the caller knows the shape");
  const Table& t = tables_[table];
  for (const u64 row : rows) {
    if (row >= t.rows) {
      return Error{fmt::format("the synthetic Engram table {} has {} rows; row {} is beyond", table, t.rows, row)};
    }
    const u64 scales = head_dim() / 32;
    fill_part(seed_, t.codes, row * head_dim(), out.first(head_dim()));
    fill_part(seed_, t.scales, row * scales, out.subspan(head_dim(), scales));
    out = out.subspan(row_bytes());
  }
  return {};
}

}  // namespace bolide::convert
