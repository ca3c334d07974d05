// The Engram rows of a synthetic model, made when they are read.
#pragma once
#include <vector>

#include "convert/synth_numbers.h"
#include "engram/row_store.h"
#include "engram/shape.h"

namespace bolide::convert {

class SynthRows : public engram::RowReader {
 public:
  SynthRows(u64 seed, const engram::EngramShape& shape);

  Status read(u32 table, std::span<const u64> rows, std::span<std::byte> out) const override;

 private:
  struct Table {
    u64 rows;
    NumberPlane codes;
    NumberPlane scales;
  };

  u64 seed_;
  std::vector<Table> tables_;
};

}  // namespace bolide::convert
