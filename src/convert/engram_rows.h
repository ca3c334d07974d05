// The rows of an Engram table, whatever file they are in, and their form in a `.engram` file or a GGUF: a row's codes,
// then its scales.
#pragma once
#include <functional>
#include <vector>

#include "convert/tensor_conversion.h"
#include "formats/checkpoint.h"
#include "formats/engram_file.h"
#include "model/config.h"

namespace bolide::convert {

// Whoever makes one keeps the file open.
struct EngramTableRows {
  u32 layer = 0;
  u64 rows = 0;
  u64 n_codes = 0;     // E4M3 codes of a row; it has a 32nd of them as scales
  SourceRange codes;   // of all rows; with the scales, row by row, where those have no range of their own
  SourceRange scales;  // no file: they lie behind the codes of each row

  std::vector<const MappedFile*> files() const {
    return is_joined() ? std::vector{codes.file} : std::vector{codes.file, scales.file};
  }
  bool is_joined() const { return scales.file == nullptr; }
  u64 row_bytes() const { return n_codes + n_codes / 32; }
  u64 bytes() const { return rows * row_bytes(); }
};

// Rows that already have their form, as many as `joined` holds.
EngramTableRows joined_rows(u32 layer, u64 head_dim, const SourceRange& joined);

// The tables of an official checkpoint, whose tensors were accounted for.
std::vector<EngramTableRows> engram_table_rows(const model::EngramConfig& config,
                                               const formats::Checkpoint& checkpoint);

// One row, codes and scales.
Result<std::vector<std::byte>> read_engram_row(const EngramTableRows& table, u64 row);

// Hands over the rows from `first_row` on, some MB at a time. A NaN code is an error that names the layer and the row.
Status append_engram_rows(const EngramTableRows& table, u64 first_row, const Append& append);

}  // namespace bolide::convert
