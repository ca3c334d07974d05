#include "convert/engram_conversion.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "arith/e4m3.h"
#include "arith/e8m0.h"
#include "model/tensors.h"

namespace bolide::convert {
namespace {

constexpr u64 kRowsAtOnce = 4096;

bool is_finite(Bytes codes, Bytes scales) {
  bool bad = false;  // no early end: the whole row is one vectorized pass
  for (const std::byte code : codes) bad |= arith::e4m3_is_nan(static_cast<u8>(code));
  for (const std::byte scale : scales) bad |= arith::e8m0_is_nan(static_cast<u8>(scale));
  return !bad;
}

u64 row_bytes(const model::EngramConfig& config) {
  return u64{config.head_dim} + config.head_dim / 32;
}

}  // namespace

Result<EngramConversion> EngramConversion::create(const std::string& path, const model::EngramConfig& config,
                                                  std::shared_ptr<const formats::Checkpoint> checkpoint) {
  std::vector<formats::EngramTableSpec> specs;
  for (std::size_t i = 0; i < config.layer_ids.size(); ++i) {
    specs.push_back({config.layer_ids[i], config.rows[i], row_bytes(config)});
  }
  Result<formats::EngramWriter> writer = formats::EngramWriter::create(path, specs);
  if (!writer) return writer.error();
  return EngramConversion(config, std::move(checkpoint), *std::move(writer));
}

u64 EngramConversion::table_bytes(std::size_t table) const {
  return config_.rows[table] * row_bytes(config_);
}

Status EngramConversion::convert(std::size_t table, const std::function<void(u64 bytes)>& told) {
  const u32 layer = config_.layer_ids[table];
  const Bytes all_codes = checkpoint_->find(model::engram_codes_name(layer))->data;
  const Bytes all_scales = checkpoint_->find(model::engram_scales_name(layer))->data;
  const u64 n_rows = config_.rows[table];
  const u64 n_codes = config_.head_dim;
  const u64 n_scales = n_codes / 32;
  std::vector<std::byte> joined(std::min(kRowsAtOnce, n_rows) * row_bytes(config_));
  for (u64 first = 0; first < n_rows; first += kRowsAtOnce) {
    const u64 n = std::min(kRowsAtOnce, n_rows - first);
    std::byte* to = joined.data();
    for (u64 row = first; row < first + n; ++row) {
      const Bytes codes = all_codes.subspan(row * n_codes, n_codes);
      const Bytes scales = all_scales.subspan(row * n_scales, n_scales);
      if (!is_finite(codes, scales)) {
        return Error{
            fmt::format("Engram table of layer {}: row {} holds a NaN code; the checkpoint is damaged, get it "
                        "again",
                        layer, row)};
      }
      to = std::ranges::copy(codes, to).out;
      to = std::ranges::copy(scales, to).out;
    }
    const Bytes rows = Bytes(joined).first(n * row_bytes(config_));
    if (Status appended = writer_.append(table, rows); !appended) return appended;
    told(rows.size());
  }
  return {};
}

Status EngramConversion::finish() {
  const Result<formats::EngramFile> file = writer_.finish();
  return file ? Status() : Status(file.error());
}

}  // namespace bolide::convert
