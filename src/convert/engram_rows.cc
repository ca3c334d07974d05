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

}  // namespace

EngramTableRows joined_rows(u32 layer, u64 head_dim, Bytes joined) {
  EngramTableRows table{.layer = layer, .n_codes = head_dim, .codes = joined};
  table.rows = joined.size() / table.row_bytes();
  table.codes_stride = table.scales_stride = table.row_bytes();
  table.scales = joined.subspan(head_dim);
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
                      .codes = checkpoint.find(model::engram_codes_name(layer))->data,
                      .codes_stride = config.head_dim,
                      .scales = checkpoint.find(model::engram_scales_name(layer))->data,
                      .scales_stride = config.head_dim / 32});
  }
  return tables;
}

Status append_engram_rows(const EngramTableRows& table, const Append& append) {
  const u64 n_scales = table.n_codes / 32;
  std::vector<std::byte> joined(std::min(kRowsAtOnce, table.rows) * table.row_bytes());
  for (u64 first = 0; first < table.rows; first += kRowsAtOnce) {
    const u64 n = std::min(kRowsAtOnce, table.rows - first);
    std::byte* to = joined.data();
    for (u64 row = first; row < first + n; ++row) {
      const Bytes codes = table.codes.subspan(row * table.codes_stride, table.n_codes);
      const Bytes scales = table.scales.subspan(row * table.scales_stride, n_scales);
      if (!is_finite(codes, scales)) {
        return Error{
            fmt::format("Engram table of layer {}: row {} holds a NaN code; the checkpoint is damaged, get it again",
                        table.layer, row)};
      }
      to = std::ranges::copy(codes, to).out;
      to = std::ranges::copy(scales, to).out;
    }
    if (Status appended = append(Bytes(joined).first(n * table.row_bytes())); !appended) return appended;
  }
  return {};
}

}  // namespace bolide::convert
