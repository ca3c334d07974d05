// Float weights as the CPU kernels read them: made once while loading, from the rows of a model::FloatMatrix.
#pragma once
#include <cstddef>

#include "arith/reductions.h"
#include "backends/cpu/aligned_vector.h"
#include "model/weights.h"

namespace bolide::backends::cpu {

// A matrix in panels of 32 rows: [panel][column][row]. The last panel is as high as its rows need, a multiple of 8 with
// rows of zeros (the 24 rows of an mHC matrix stay 24). BF16 if every value is one exactly, because the time of
// decoding is that of reading bytes; else binary32. Values of a column lie side by side and a vector may be wider than
// what is left of it; behind the last column there is room for one.
class FloatPanels {
 public:
  static constexpr u32 kRows = 32;

  FloatPanels() = default;
  explicit FloatPanels(const model::FloatMatrix& matrix);

  u32 rows() const { return rows_; }
  u32 k() const { return k_; }
  u32 panels() const { return (rows_ + kRows - 1) / kRows; }
  // Rows of a panel, padding included.
  u32 height(u32 panel) const { return panel + 1 < panels() ? kRows : (rows_ - panel * kRows + 7) / 8 * 8; }
  // Columns of a segment of rule 3 (the last one may have less), and how many segments are not empty.
  u32 segment_columns() const { return 32 * arith::segment_blocks(k_ / 32, arith::float_segments(k_)); }
  u32 segments() const { return (k_ + segment_columns() - 1) / segment_columns(); }

  bool is_bf16() const { return is_bf16_; }
  u64 bytes() const { return bytes_.size(); }
  // Column `column` of a panel: height(panel) values, of the type that is_bf16() says.
  const void* column(u32 panel, u32 column) const {
    const u64 values = u64{panel} * kRows * k_ + u64{column} * height(panel);
    return bytes_.data() + values * (is_bf16_ ? 2 : 4);
  }

 private:
  u32 rows_ = 0;
  u32 k_ = 0;
  bool is_bf16_ = false;
  AlignedVector<std::byte> bytes_;
};

}  // namespace bolide::backends::cpu
