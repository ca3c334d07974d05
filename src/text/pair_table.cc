#include "text/pair_table.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace bolide::text {

PairTable::PairTable(std::size_t n_merges) {
  check(n_merges <= kMaxMerges, "the caller bounds the number of merges");
  const std::size_t n_slots = std::bit_ceil(std::max<std::size_t>(2 * n_merges, 2));
  slots_.assign(n_slots, kFree);
  results_.reserve(n_merges);
  mask_ = n_slots - 1;
  shift_ = static_cast<u32>(64 - std::countr_zero(n_slots));
}

bool PairTable::add(const Merge& merge) {
  check(merge.left < kMaxTokens && merge.right < kMaxTokens, "the caller bounds the ids");
  check(results_.size() < slots_.size() / 2, "the table was made for this many merges");
  if (rank(merge.left, merge.right) != kNoRank) return false;
  const u64 pair = pair_key(merge.left, merge.right);
  std::size_t slot = first_slot(pair);
  while (slots_[slot] != kFree) slot = (slot + 1) & mask_;
  slots_[slot] = pair << kRankBits | results_.size();
  results_.push_back(merge.result);
  return true;
}

}  // namespace bolide::text
