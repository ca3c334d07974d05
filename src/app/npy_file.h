// Arrays for NumPy: the .npy format, version 1.0 (numpy.lib.format).
#pragma once
#include <optional>
#include <span>
#include <string>

#include "base/partial_file.h"

namespace bolide::app {

// Writes a little-endian binary32 array [rows, columns] row by row. The file appears in finish(), when it is whole.
class NpyWriter {
 public:
  static Result<NpyWriter> create(const std::string& path, u64 rows, u64 columns);

  // The next row; its length is `columns`.
  Status append(std::span<const float> row);
  // Once, after the last row.
  Status finish();

 private:
  NpyWriter(PartialFile file, u64 position) : file_(std::move(file)), position_(position) {}

  PartialFile file_;
  u64 position_;
};

}  // namespace bolide::app
