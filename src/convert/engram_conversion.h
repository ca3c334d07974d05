// The Engram tables of a checkpoint into a `.engram` file: a row's codes, then its scales (docs/packed-file.md).
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "formats/checkpoint.h"
#include "formats/engram_file.h"
#include "model/config.h"

namespace bolide::convert {

// Owns the unfinished file, which is gone if finish() is never reached.
class EngramConversion {
 public:
  // The checkpoint's tensors were accounted for.
  static Result<EngramConversion> create(const std::string& path, const model::EngramConfig& config,
                                         std::shared_ptr<const formats::Checkpoint> checkpoint);

  u64 n_tables() const { return config_.layer_ids.size(); }
  u64 table_bytes(std::size_t table) const;

  // Converts one table; different tables on different threads. `told` hears of every piece that was written. A NaN code
  // is an error that names the layer and the row.
  Status convert(std::size_t table, const std::function<void(u64 bytes)>& told);

  // Once, after every table.
  Status finish();

 private:
  EngramConversion(model::EngramConfig config, std::shared_ptr<const formats::Checkpoint> checkpoint,
                   formats::EngramWriter writer)
      : config_(std::move(config)), checkpoint_(std::move(checkpoint)), writer_(std::move(writer)) {}

  model::EngramConfig config_;
  std::shared_ptr<const formats::Checkpoint> checkpoint_;
  formats::EngramWriter writer_;
};

}  // namespace bolide::convert
