// Which rows of the Engram tables a position looks up: a hash of its last tokens. Source: spec model.md 3.2.
#pragma once
#include <span>
#include <vector>

#include "engram/constants.h"

namespace bolide::engram {

// A history position that cannot be looked at: before the start of the sequence, or an image token.
inline constexpr i32 kBlocked = -1;

// The compressed ids of the last `n` of `tokens`, newest first; kBlocked for the positions before the start and for
// `image_token` (interfaces.md, state hash: i32 each). Every token is in the vocabulary.
std::vector<i32> compressed_history(const EngramConstants& constants, std::span<const u32> tokens, u32 n,
                                    u32 image_token);

// The n-gram that is hashed: the history's ids, where the first blocked position and all older ones read as the pad.
std::vector<u32> ngram(const EngramConstants& constants, std::span<const i32> history);

// The row of the table for each of its columns. `ngram`: one id per multiplier, newest first.
std::vector<u64> row_numbers(const TableConstants& table, std::span<const u32> ngram);

}  // namespace bolide::engram
