#include "convert/engram_rows.h"

#include <algorithm>
#include <fmt/format.h>

#include "arith/e4m3.h"
#include "arith/e8m0.h"
#include "model/tensors.h"

namespace bolide::convert {
namespace {

constexpr u64 kRowsAtOnce = 4096;

bool is_finite(Bytes codes, Bytes scales) {
  u8 bad = 0;  // no early end, and as wide as a code: the whole row is one vectorized pass
  for (const std::byte code : codes) bad |= u8{arith::e4m3_is_nan(static_cast<u8>(code))};
  for (const std::byte scale : scales) bad |= u8{arith::e8m0_is_nan(static_cast<u8>(scale))};
  return bad == 0;
}

// A tensor of the checkpoint, whose values append_engram_rows() looks at.
SourceRange range_of(const formats::Checkpoint& checkpoint, const std::string& name) {
  const formats::Tensor* tensor = checkpoint.find(name);
  check(tensor != nullptr, "every tensor was accounted for");
  return {.file = &checkpoint.shards()[tensor->shard], .offset = tensor->file_offset, .bytes = tensor->bytes};
}

// Row after row, codes and scales side by side.
class JoinedRows {
 public:
  explicit JoinedRows(const EngramTableRows& table) : table_(table), codes_(table.codes), scales_(table.scales) {}

  // Good until the next call.
  Result<Bytes> read(u64 first, u64 n) {
    if (table_.is_joined()) return codes_.at(first * table_.row_bytes(), n * table_.row_bytes());
    const u64 n_scales = table_.n_codes / 32;
    const Result<Bytes> codes = codes_.at(first * table_.n_codes, n * table_.n_codes);
    if (!codes) return codes.error();
    const Result<Bytes> scales = scales_.at(first * n_scales, n * n_scales);
    if (!scales) return scales.error();
    joined_.resize(n * table_.row_bytes());
    std::byte* to = joined_.data();
    for (u64 row = 0; row < n; ++row) {
      to = std::ranges::copy(codes->subspan(row * table_.n_codes, table_.n_codes), to).out;
      to = std::ranges::copy(scales->subspan(row * n_scales, n_scales), to).out;
    }
    return Bytes(joined_);
  }

 private:
  const EngramTableRows& table_;
  SourceBytes codes_;
  SourceBytes scales_;
  std::vector<std::byte> joined_;
};

}  // namespace

EngramTableRows joined_rows(u32 layer, u64 head_dim, const SourceRange& joined) {
  EngramTableRows table{.layer = layer, .n_codes = head_dim, .codes = joined, .scales = {}};
  table.rows = joined.bytes / table.row_bytes();
  return table;
}

std::vector<EngramTableRows> engram_table_rows(const model::EngramConfig& config,
                                               const formats::Checkpoint& checkpoint) {
  std::vector<EngramTableRows> tables;
  for (std::size_t i = 0; i < config.layer_ids.size(); ++i) {
    const u32 layer = config.layer_ids[i];
    tables.push_back({.layer = layer,
                      .rows = config.rows[i],
                      .n_codes = config.head_dim,
                      .codes = range_of(checkpoint, model::engram_codes_name(layer)),
                      .scales = range_of(checkpoint, model::engram_scales_name(layer))});
  }
  return tables;
}

Result<std::vector<std::byte>> read_engram_row(const EngramTableRows& table, u64 row) {
  JoinedRows joined(table);
  const Result<Bytes> bytes = joined.read(row, 1);
  if (!bytes) return bytes.error();
  return std::vector<std::byte>(bytes->begin(), bytes->end());
}

Status append_engram_rows(const EngramTableRows& table, u64 first_row, const Append& append) {
  JoinedRows joined(table);
  for (u64 first = first_row; first < table.rows; first += kRowsAtOnce) {
    const u64 n = std::min(kRowsAtOnce, table.rows - first);
    const Result<Bytes> rows = joined.read(first, n);
    if (!rows) return rows.error();
    for (u64 row = 0; row < n; ++row) {
      const Bytes bytes = rows->subspan(row * table.row_bytes(), table.row_bytes());
      if (is_finite(bytes.first(table.n_codes), bytes.subspan(table.n_codes))) continue;
      return Error{fmt::format("Engram table of layer {}: row {} holds a NaN code; the file is damaged, get it again",
                               table.layer, first + row)};
    }
    if (Status appended = append(*rows); !appended) return appended;
  }
  return {};
}

}  // namespace bolide::convert
