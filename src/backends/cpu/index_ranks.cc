#include "backends/cpu/index_ranks.h"

#include <algorithm>
#include <array>

namespace bolide::backends::cpu {
namespace {

// How many ranks have each value of the high byte; four tables, so that equal bytes in a row do not wait for each
// other.
std::array<u32, 256> count_high_bytes(std::span<const u16> ranks) {
  std::array<std::array<u32, 256>, 4> tables{};
  std::size_t i = 0;
  for (; i + 4 <= ranks.size(); i += 4) {
    for (std::size_t t = 0; t < 4; ++t) ++tables[t][ranks[i + t] >> 8];
  }
  for (; i < ranks.size(); ++i) ++tables[0][ranks[i] >> 8];
  for (std::size_t byte = 0; byte < 256; ++byte) {
    tables[0][byte] += tables[1][byte] + tables[2][byte] + tables[3][byte];
  }
  return tables[0];
}

std::array<u32, 256> count_low_bytes(std::span<const u16> ranks, u32 high) {
  std::array<u32, 256> counts{};
  for (const u16 rank : ranks) {
    if (rank >> 8 == high) ++counts[rank & 255];
  }
  return counts;
}

struct Bin {
  u32 number;
  u32 wanted;  // how many of the bin's elements are wanted; may be more than it has in bin 0
};

// The bin in which the k-th best lies.
Bin bin_of(const std::array<u32, 256>& counts, u32 k) {
  u32 bin = 255;
  for (; bin > 0 && counts[bin] < k; --bin) k -= counts[bin];
  return {bin, k};
}

}  // namespace

bool has_fault(std::span<const u16> ranks) {
  u16 largest = 0;
  for (const u16 rank : ranks) largest = std::max(largest, rank);
  return largest == kFaultRank;
}

void select_best(std::span<const u16> ranks, u32 k, std::vector<u32>& selected) {
  selected.clear();
  if (k == 0) return;
  const Bin high = bin_of(count_high_bytes(ranks), k);
  const Bin low = bin_of(count_low_bytes(ranks, high.number), high.wanted);
  const u32 threshold = high.number << 8 | low.number;
  // Everything above the threshold, and the first ones of those equal to it.
  u32 equal = threshold == kNoRank ? 0 : low.wanted;
  for (u32 i = 0; i < ranks.size(); ++i) {
    if (ranks[i] < threshold) continue;
    if (ranks[i] == threshold) {
      if (equal == 0) continue;
      --equal;
    }
    selected.push_back(i);
  }
}

void select_blocks(std::span<const u16> ranks, u32 block_size, u32 n_blocks, std::vector<u16>& block_ranks,
                   std::vector<u32>& blocks) {
  block_ranks.assign((ranks.size() + block_size - 1) / block_size, kNoRank);
  for (std::size_t block = 0; block < block_ranks.size(); ++block) {
    const std::span<const u16> rows = ranks.subspan(block * block_size);
    for (const u16 rank : rows.first(std::min<std::size_t>(block_size, rows.size()))) {
      block_ranks[block] = std::max(block_ranks[block], rank);
    }
  }
  if (!block_ranks.empty()) block_ranks.back() = 0xffff;
  select_best(block_ranks, n_blocks, blocks);
}

void rows_of_blocks(std::span<const u32> blocks, u32 block_size, std::span<u32> selected) {
  for (u32& row : selected) row = blocks[row / block_size] * block_size + row % block_size;
}

}  // namespace bolide::backends::cpu
