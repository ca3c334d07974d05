// The rows of an Engram table as they lie in memory, whatever file they come from, and their form in a `.engram` file
// or a GGUF: a row's codes, then its scales.
#pragma once
#include <functional>
#include <vector>

#include "convert/tensor_conversion.h"
#include "formats/checkpoint.h"
#include "formats/engram_file.h"
#include "model/config.h"

namespace bolide::convert {

// Views; whoever makes one keeps the file open.
struct EngramTableRows {
  u32 layer = 0;
  u64 rows = 0;
  u64 n_codes = 0;  // E4M3 codes of a row; it has a 32nd of them as scales
  Bytes codes;      // of row r: from r * codes_stride on
  u64 codes_stride = 0;
  Bytes scales;
  u64 scales_stride = 0;

  u64 row_bytes() const { return n_codes + n_codes / 32; }
  u64 bytes() const { return rows * row_bytes(); }
};

// Rows that already have their form, as many as `joined` holds.
EngramTableRows joined_rows(u32 layer, u64 head_dim, Bytes joined);

// The tables of an official checkpoint, whose tensors were accounted for.
std::vector<EngramTableRows> engram_table_rows(const model::EngramConfig& config,
                                               const formats::Checkpoint& checkpoint);

// Hands over all rows, some MB at a time. A NaN code is an error that names the layer and the row.
Status append_engram_rows(const EngramTableRows& table, const Append& append);

}  // namespace bolide::convert
