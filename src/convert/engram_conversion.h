// Engram tables into a `.engram` file: a row's codes, then its scales (docs/packed-file.md).
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "convert/engram_rows.h"
#include "formats/engram_file.h"

namespace bolide::convert {

// Owns the unfinished file, which is gone if finish() is never reached.
class EngramConversion {
 public:
  // The tables' files stay open until the end.
  static Result<EngramConversion> create(const std::string& path, std::vector<EngramTableRows> tables);

  u64 n_tables() const { return tables_.size(); }
  u64 table_bytes(std::size_t table) const { return tables_[table].bytes(); }

  // Converts one table; different tables on different threads. `told` hears of every piece that was written. A NaN code
  // is an error that names the layer and the row.
  Status convert(std::size_t table, const std::function<void(u64 bytes)>& told);

  // Once, after every table.
  Status finish();

 private:
  EngramConversion(std::vector<EngramTableRows> tables, formats::EngramWriter writer)
      : tables_(std::move(tables)), writer_(std::move(writer)) {}

  std::vector<EngramTableRows> tables_;
  formats::EngramWriter writer_;
};

}  // namespace bolide::convert
