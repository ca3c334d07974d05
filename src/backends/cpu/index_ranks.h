// Index scores as 16-bit ranks, and exact selection among them (design: arithmetic.md rule 6; spec model.md 3.6). A
// score is a BF16 value; its rank orders as the scores do, and scores that are equal (-0 and +0, too) have one rank.
#pragma once
#include <span>
#include <vector>

#include "base/types.h"

namespace bolide::backends::cpu {

// The rank of a row that is not to be selected: beside the candidate blocks, or behind the visible rows.
inline constexpr u16 kNoRank = 0;
// The rank of a score that is not finite. Such a score fails the request; the selections below want none.
inline constexpr u16 kFaultRank = 0xffff;

// The rank of a finite score from its BF16 code: from 0x80 to 0xff7f.
constexpr u16 rank_of(u16 bf16_code) {
  if (bf16_code == 0x8000) bf16_code = 0;
  return static_cast<u16>((bf16_code & 0x8000) != 0 ? ~bf16_code : bf16_code | 0x8000);
}

bool has_fault(std::span<const u16> ranks);

// The numbers of the k best ranks, ascending; among equal ones the lower number wins.
void select_best(std::span<const u16> ranks, u32 k, std::vector<u32>& selected);

// The candidate blocks of a row that sees all of `ranks`: numbers ascending. A block is worth its best rank; the last
// block is always among the n_blocks that are kept. block_ranks is memory for reuse.
void select_blocks(std::span<const u16> ranks, u32 block_size, u32 n_blocks, std::vector<u16>& block_ranks,
                   std::vector<u32>& blocks);

// Numbers selected among the ranks of `blocks` only, as index_score gives them, become rows.
void rows_of_blocks(std::span<const u32> blocks, u32 block_size, std::span<u32> selected);

}  // namespace bolide::backends::cpu
