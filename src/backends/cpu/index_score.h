// Scores of one position's index queries against index keys in pages (design: arithmetic.md rule 6; spec model.md 3.6),
// over all rows or only those of candidate blocks. Lane = row.
#pragma once
#include <span>

#include "backends/cpu/aligned_vector.h"
#include "backends/cpu/index_ranks.h"
#include "backends/cpu/instruction_set.h"
#include "backends/cpu/part_range.h"
#include "model/index_page.h"

namespace bolide::backends::cpu {

// The quantized queries of all heads of one position (Q4i), in the order in which the kernels unpack keys. Keeps its
// memory from row to row.
class IndexQuery {
 public:
  static constexpr u32 kMaxHeads = 256;  // the accumulators of rule 4: more heads would share them

  // q: [heads][128], rotated, finite; weights: [heads], bf16, already scaled. At most kMaxHeads.
  void quantize(std::span<const float> q, std::span<const float> weights);

  // With heads of zeros up to a multiple of 8.
  u32 padded_heads() const { return static_cast<u32>(weights_.size()); }
  // Of one head: 128 integers, twice the E2M1 values, of every eight the even four first.
  const i8* doubled(u32 head) const { return &doubled_[u64{head} * model::kIndexHeadDim]; }
  // Per group of 32: the scale; and where an integer sum starts if every (doubled) key is 12 larger than it is.
  const float* scales(u32 head) const { return &scales_[u64{head} * model::kIndexGroups]; }
  const i32* starts(u32 head) const { return &starts_[u64{head} * model::kIndexGroups]; }
  float weight(u32 head) const { return weights_[head]; }

 private:
  AlignedVector<i8> doubled_;
  std::vector<float> scales_;
  std::vector<i32> starts_;
  std::vector<float> weights_;
};

// Row r of the keys is row r % rows_per_page of page r / rows_per_page.
struct IndexKeys {
  std::span<const model::IndexPage> pages;
  u32 rows_per_page;  // a multiple of 32
};

struct IndexScore {
  // ranks[r - rows.first] for the rows of `rows`, whose first is a multiple of 32.
  void (*rows)(const IndexQuery& query, const IndexKeys& keys, PartRange rows, u16* ranks);
  // ranks[i * block_size + j] for row j of block blocks[i]; kNoRank from row `visible` on.
  void (*blocks)(const IndexQuery& query, const IndexKeys& keys, std::span<const u32> blocks, u32 block_size,
                 u32 visible, u16* ranks);
};

// The kernels for a present instruction set.
IndexScore index_score(InstructionSet set);

}  // namespace bolide::backends::cpu
