// Exact selection by score (spec model.md 3.6; ties: arithmetic.md rule 6). Scores are finite or -inf.
#pragma once
#include <span>
#include <vector>

#include "base/types.h"

namespace bolide::model {

// The rows of the k largest scores, ascending. Among equal scores the lower row wins; -inf is never selected.
std::vector<u32> top_k(std::span<const float> scores, u32 k);

// The candidate blocks of one query: block numbers ascending. A block's score is the maximum of its rows; the block of
// the newest row is always among the `n_blocks` kept.
std::vector<u32> candidate_blocks(std::span<const float> scores, u32 block_size, u32 n_blocks);

// Sets the scores of all rows outside `blocks` to -inf.
void keep_blocks(std::span<float> scores, std::span<const u32> blocks, u32 block_size);

// The id of the largest value, the lowest one among equals. values is not empty.
u32 argmax(std::span<const float> values);

}  // namespace bolide::model
