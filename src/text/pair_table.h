// The merges of a byte-pair encoding, looked up by the pair they join.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "base/types.h"

namespace bolide::text {

// "left right become result". Its place in the list of merges is its rank; the lowest rank is merged first.
struct Merge {
  u32 left;
  u32 right;
  u32 result;
};

// The largest vocabulary and list of merges we take, so that two ids and a rank fit into one word.
constexpr u32 kMaxTokens = 1U << 20;
constexpr u32 kMaxMerges = (1U << 24) - 1;

// Built once by one thread, then read by any.
class PairTable {
 public:
  static constexpr u32 kNoRank = kMaxMerges;

  // Room for `n_merges` merges, at most kMaxMerges.
  explicit PairTable(std::size_t n_merges);

  // Adds the merge of the next rank; ids below kMaxTokens. False, and nothing added, if its pair is there already.
  bool add(const Merge& merge);

  // The rank of the merge of this pair, or kNoRank.
  u32 rank(u32 left, u32 right) const {
    const u64 pair = pair_key(left, right);
    for (std::size_t slot = first_slot(pair);; slot = (slot + 1) & mask_) {
      const u64 entry = slots_[slot];
      if (entry >> kRankBits == pair) return static_cast<u32>(entry & kNoRank);
      if (entry == kFree) return kNoRank;
    }
  }

  // The token that the merge of this rank makes.
  u32 result(u32 rank) const { return results_[rank]; }

 private:
  static constexpr u32 kRankBits = 24;
  static constexpr u64 kFree = ~u64{0};  // would be the rank kNoRank, which no merge has

  static u64 pair_key(u32 left, u32 right) { return u64{left} << 20 | right; }
  // Fibonacci hashing: the high bits of the product with 2^64 / golden ratio.
  std::size_t first_slot(u64 pair) const { return (pair * 0x9E3779B97F4A7C15U) >> shift_; }

  std::vector<u64> slots_;    // open addressing, at most half full: left, right, rank in 20, 20 and 24 bits
  std::vector<u32> results_;  // by rank
  std::size_t mask_;
  u32 shift_;
};

}  // namespace bolide::text
