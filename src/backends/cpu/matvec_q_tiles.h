// What the kernels of matvec_q share, whatever the instruction set: the walk over tiles, segments and runs, and the
// fold of the segments. An instruction set `Isa` gives
//
//   // Leaves the run's weights and factors in the workspace.
//   static void unpack(const model::Matrix& w, u32 tile, const Run& run, MatvecWorkspace& workspace);
//   // Adds blocks [part.first, part.end) of one segment to acc[r][0..31] for the rows r of the group.
//   template <u32 n_rows, bool minimum>
//   static void multiply(const ActivationRows& x, u32 first_row, const Run& run, MatvecWorkspace& workspace);
//   static constexpr u32 kRowsAtOnce;  // the largest n_rows
//
// Only included by the kernels' own files, each of which is compiled with its own flags: everything here has internal
// linkage, so that the linker never puts one set's code into another's place.
#pragma once
#include <algorithm>

#include "arith/reductions.h"
#include "backends/cpu/matvec_q.h"
#include "formats/packed_layout.h"

namespace bolide::backends::cpu {
namespace {

// Activation rows that go through all the tiles before the next ones do: their codes stay in the second cache while
// the unpacked weights are used that often.
constexpr u32 kRowsBesideEachOther = 64;

// Blocks [first, end) of a matrix row: some whole segments, or a piece of one.
struct Run {
  u32 first;
  u32 end;
  u32 segment;  // blocks of a segment
  u32 blocks;   // of a row
};

// Blocks of a run that lie in one segment.
struct Part {
  u32 first;
  u32 end;
  bool begins_segment;
  bool ends_segment;
};

inline Part part_at(const Run& run, u32 first) {
  const u32 segment_end = std::min((first / run.segment + 1) * run.segment, run.blocks);
  const u32 end = std::min(segment_end, run.end);
  return {first, end, first % run.segment == 0, end == segment_end};
}

// The planes of a Q4_K matrix's scales.
struct Q4KScales {
  const std::byte* super;   // {d, dmin} per super-block of 256 columns
  const std::byte* blocks;  // {scale, min} per block of 32
};

inline Q4KScales q4_k_scales(const model::Matrix& w) {
  const u64 padded_rows = u64{tile_count(w)} * 32;
  return {w.scales.data(), w.scales.data() + padded_rows * (w.k / 256) * 4};
}

template <class Isa, u32 n_rows>
void multiply_group(const ActivationRows& x, u32 first_row, const Run& run, bool minimum, MatvecWorkspace& workspace) {
  if constexpr (n_rows <= Isa::kRowsAtOnce) {
    if (minimum) {
      Isa::template multiply<n_rows, true>(x, first_row, run, workspace);
    } else {
      Isa::template multiply<n_rows, false>(x, first_row, run, workspace);
    }
  }
}

// The rows of a chunk in groups, as even as they can be.
template <class Isa>
void multiply_run(const ActivationRows& x, u32 first_row, u32 n_rows, const Run& run, bool minimum,
                  MatvecWorkspace& workspace) {
  using Group = void (*)(const ActivationRows&, u32, const Run&, bool, MatvecWorkspace&);
  constexpr std::array<Group, 6> kGroups = {multiply_group<Isa, 1>, multiply_group<Isa, 2>, multiply_group<Isa, 3>,
                                            multiply_group<Isa, 4>, multiply_group<Isa, 5>, multiply_group<Isa, 6>};
  static_assert(Isa::kRowsAtOnce <= kGroups.size());
  for (u32 groups = (n_rows + Isa::kRowsAtOnce - 1) / Isa::kRowsAtOnce; groups > 0; --groups) {
    const u32 n = (n_rows + groups - 1) / groups;
    kGroups[n - 1](x, first_row, run, minimum, workspace);
    first_row += n;
    n_rows -= n;
  }
}

// One tile for a chunk of rows; the sums are left in workspace.total.
template <class Isa>
void multiply_tile(const model::Matrix& w, u32 tile, const ActivationRows& x, u32 first_row, u32 n_rows,
                   MatvecWorkspace& workspace) {
  const u32 blocks = w.k / 32;
  const u32 segment = arith::segment_blocks(blocks, arith::kQuantizedSegments);
  const u32 step = segment < kRunBlocks ? kRunBlocks / segment * segment : kRunBlocks;
  // -0 is the neutral start: (-0) + x is x, also for a zero of either sign.
  std::fill_n(workspace.total.data() + u64{first_row} * 32, u64{n_rows} * 32, -0.0f);
  for (u32 first = 0; first < blocks;) {
    const u32 segment_end = (first / segment + 1) * segment;
    const u32 end = std::min(segment < kRunBlocks ? first + step : std::min(first + step, segment_end), blocks);
    const Run run = {first, end, segment, blocks};
    Isa::unpack(w, tile, run, workspace);
    multiply_run<Isa>(x, first_row, n_rows, run, w.type == model::MatrixType::kQ4K, workspace);
    first = end;
  }
  // Segments behind the last block are +0, which turns a total of -0 into +0.
  if ((blocks + segment - 1) / segment == arith::kQuantizedSegments) return;
  for (u64 i = u64{first_row} * 32; i < u64{first_row + n_rows} * 32; ++i) workspace.total[i] += 0.0f;
}

template <class Isa>
void multiply_tiles(const model::Matrix& w, TileRange tiles, const ActivationRows& x, MatvecWorkspace& workspace,
                    float* y, u64 y_stride) {
  workspace.segment.resize(u64{x.count()} * 32);
  workspace.total.resize(u64{x.count()} * 32);
  for (u32 first_row = 0; first_row < x.count(); first_row += kRowsBesideEachOther) {
    const u32 n_rows = std::min(kRowsBesideEachOther, x.count() - first_row);
    for (u32 tile = tiles.first; tile < tiles.end; ++tile) {
      multiply_tile<Isa>(w, tile, x, first_row, n_rows, workspace);
      const u32 n_outputs = std::min(32u, w.rows - tile * 32);
      for (u32 r = first_row; r < first_row + n_rows; ++r) {
        std::copy_n(workspace.total.data() + u64{r} * 32, n_outputs, y + r * y_stride + u64{tile} * 32);
      }
    }
  }
}

}  // namespace
}  // namespace bolide::backends::cpu
