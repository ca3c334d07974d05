// The kernels of matvec_f, written once for all instruction sets. Lane = row of the matrix. A segment is one chain of
// fma per result; the rows of a panel and those of the activations are enough independent chains to keep the
// multipliers busy.
//
// Only included by the kernels' own files (backends/cpu/lanes_scalar.h says why).
#pragma once
#include <algorithm>
#include <array>

#include "backends/cpu/matvec_f.h"

namespace bolide::backends::cpu {
namespace {

template <class Lanes>
struct MatvecFKernel {
  using Float = typename Lanes::Float;
  static constexpr u32 kRows = FloatPanels::kRows;
  static constexpr u32 kWidth = Lanes::kWidth;
  // Each activation row has two registers of sums; the other half is for weights and activations.
  static constexpr u32 kRowsAtOnce = Lanes::kRegisters / 4;
  // Activation rows that go through all panels before the next ones do.
  static constexpr u32 kRowsBesideEachOther = 64;

  static void panels(const FloatPanels& w, PartRange panels, std::span<const float> x, float* y, u64 y_stride) {
    const u32 n = static_cast<u32>(x.size() / w.k());
    for (u32 first = 0; first < n; first += kRowsBesideEachOther) {
      const u32 n_rows = std::min(kRowsBesideEachOther, n - first);
      for (u32 panel = panels.first; panel < panels.end; ++panel) {
        multiply_panel(w, panel, &x[u64{first} * w.k()], n_rows, y + first * y_stride, y_stride);
      }
    }
  }

  static void segments(const FloatPanels& w, PartRange parts, std::span<const float> x, float* sums) {
    const u32 n = static_cast<u32>(x.size() / w.k());
    const u64 stride = u64{segment_parts(w)} * kRows;
    for (u32 part = parts.first; part < parts.end; ++part) {
      multiply_segment(w, part / w.segments(), part % w.segments(), x.data(), n, sums + u64{part} * kRows, stride);
    }
  }

 private:
  static void multiply_panel(const FloatPanels& w, u32 panel, const float* x, u32 n_rows, float* y, u64 y_stride) {
    std::array<float, u64{kRowsBesideEachOther} * kRows> sums{};
    std::array<float, u64{kRowsBesideEachOther} * kRows> total{};
    for (u32 segment = 0; segment < w.segments(); ++segment) {
      multiply_segment(w, panel, segment, x, n_rows, segment == 0 ? total.data() : sums.data(), kRows);
      if (segment == 0) continue;
      for (u32 i = 0; i < n_rows * kRows; ++i) total[i] = total[i] + sums[i];
    }
    // Empty segments are +0, which turns a -0 into +0.
    if (w.segments() < arith::float_segments(w.k())) {
      for (u32 i = 0; i < n_rows * kRows; ++i) total[i] = total[i] + 0.0f;
    }
    const u32 outputs = std::min(kRows, w.rows() - panel * kRows);
    for (u32 r = 0; r < n_rows; ++r) {
      for (u32 i = 0; i < outputs; ++i) y[r * y_stride + u64{panel} * kRows + i] = total[r * kRows + i];
    }
  }

  // One segment of a panel for all rows, in groups as even as they can be.
  static void multiply_segment(const FloatPanels& w, u32 panel, u32 segment, const float* x, u32 n_rows, float* sums,
                               u64 stride) {
    const u32 first = segment * w.segment_columns();
    const Part part = {w.column(panel, first), w.height(panel), std::min(w.segment_columns(), w.k() - first), w.k()};
    x += first;
    for (u32 groups = (n_rows + kRowsAtOnce - 1) / kRowsAtOnce; groups > 0; --groups) {
      const u32 n = (n_rows + groups - 1) / groups;
      if (w.is_bf16()) {
        multiply_group<u16, kRowsAtOnce>(n, part, x, sums, stride);
      } else {
        multiply_group<float, kRowsAtOnce>(n, part, x, sums, stride);
      }
      x += u64{n} * w.k();
      sums += n * stride;
      n_rows -= n;
    }
  }

  struct Part {
    const void* weights;  // [column][height]
    u32 height;
    u32 columns;
    u32 k;  // from one activation row to the next
  };

  // Finds the code for n rows, n <= n_rows.
  template <class Weight, u32 n_rows>
  static void multiply_group(u32 n, const Part& part, const float* x, float* sums, u64 stride) {
    if constexpr (n_rows > 1) {
      if (n < n_rows) return multiply_group<Weight, n_rows - 1>(n, part, x, sums, stride);
    }
    u32 lane = 0;
    for (; lane + kWidth < part.height; lane += 2 * kWidth) multiply<Weight, n_rows, 2>(part, lane, x, sums, stride);
    if (lane < part.height) multiply<Weight, n_rows, 1>(part, lane, x, sums, stride);
  }

  // Rows [lane, lane + n_vectors * kWidth) of the panel. Lanes above the panel's height hold values of the next column
  // and are not read by anyone.
  template <class Weight, u32 n_rows, u32 n_vectors>
  static void multiply(const Part& part, u32 lane, const float* x, float* sums, u64 stride) {
    const Weight* weights = static_cast<const Weight*>(part.weights) + lane;
    std::array<Float, n_rows * n_vectors> acc;
    for (Float& sum : acc) sum = Lanes::set(0.0f);
    for (u32 column = 0; column < part.columns; ++column, weights += part.height) {
      std::array<Float, n_vectors> w;
      for (u32 v = 0; v < n_vectors; ++v) w[v] = load(weights + v * kWidth);
      for (u32 r = 0; r < n_rows; ++r) {
        const Float value = Lanes::set(x[u64{r} * part.k + column]);
        for (u32 v = 0; v < n_vectors; ++v) {
          acc[r * n_vectors + v] = Lanes::fma(w[v], value, acc[r * n_vectors + v]);
        }
      }
    }
    for (u32 r = 0; r < n_rows; ++r) {
      for (u32 v = 0; v < n_vectors; ++v) {
        Lanes::store(sums + r * stride + lane + v * kWidth, acc[r * n_vectors + v]);
      }
    }
  }

  static Float load(const float* at) { return Lanes::load(at); }
  static Float load(const u16* at) { return Lanes::load_bf16(at); }
};

}  // namespace
}  // namespace bolide::backends::cpu
