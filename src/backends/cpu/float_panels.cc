#include "backends/cpu/float_panels.h"

#include <algorithm>
#include <cstring>

#include "arith/bf16.h"
#include "base/check.h"

namespace bolide::backends::cpu {

FloatPanels::FloatPanels(const model::FloatMatrix& matrix) : rows_(matrix.rows), k_(matrix.k) {
  check(rows_ > 0 && k_ > 0 && k_ % 32 == 0, "every K of version 1 is a multiple of 32");
  is_bf16_ = std::all_of(matrix.values.begin(), matrix.values.end(),
                         [](float value) { return (dialect::bits(value) & 0xffffu) == 0; });
  const u32 width = is_bf16_ ? 2 : 4;
  const u64 padded_rows = (u64{rows_} + 7) / 8 * 8;
  bytes_.resize(padded_rows * k_ * width + 64);
  std::byte* at = bytes_.data();
  for (u32 panel = 0; panel < panels(); ++panel) {
    for (u32 column = 0; column < k_; ++column) {
      for (u32 row = panel * kRows; row < panel * kRows + height(panel); ++row, at += width) {
        const u32 bits = row < rows_ ? dialect::bits(matrix.values[u64{row} * k_ + column]) : 0;
        // Little-endian: the code of a BF16 is the upper half.
        std::memcpy(at, reinterpret_cast<const std::byte*>(&bits) + (4 - width), width);
      }
    }
  }
}

}  // namespace bolide::backends::cpu
