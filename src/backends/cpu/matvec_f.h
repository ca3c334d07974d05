// Rows of activations times a matrix of float weights (design: arithmetic.md rule 3): router, compressor, index keys
// and weights, mHC. One to eight rows, or many, share each read of the weights, and every row gets the bits that it
// would get alone.
#pragma once
#include <span>

#include "backends/cpu/float_panels.h"
#include "backends/cpu/instruction_set.h"
#include "backends/cpu/part_range.h"

namespace bolide::backends::cpu {

// x: [n][k], k that of the matrix. Results are binary32, not yet rounded to bf16. Threads may share everything but the
// panels or parts.
struct MatvecF {
  // y[r * y_stride + i] = row i of w times row r of x, for the rows i of the panels in `panels`.
  void (*panels)(const FloatPanels& w, PartRange panels, std::span<const float> x, float* y, u64 y_stride);
  // The sums of single segments, for matrices of fewer panels than there are threads: part number
  // panel * w.segments() + segment, sums[r][part][32]. fold_segments makes the results of them.
  void (*segments)(const FloatPanels& w, PartRange parts, std::span<const float> x, float* sums);
};

// The kernels for a present instruction set.
MatvecF matvec_f(InstructionSet set);

inline u32 segment_parts(const FloatPanels& w) {
  return w.panels() * w.segments();
}

// y as `panels` gives it, from the sums [n][segment_parts(w)][32] of all segments.
void fold_segments(const FloatPanels& w, std::span<const float> sums, float* y, u64 y_stride);

}  // namespace bolide::backends::cpu
