#include "text/bpe.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/check.h"

namespace bolide::text {
namespace {

constexpr u32 kNone = ~u32{0};  // no neighbour

constexpr u32 kNoRank = PairTable::kNoRank;

using Symbol = Bpe::Scratch::Symbol;

}  // namespace

Bpe::Bpe(const std::array<u32, 256>& byte_ids, PairTable pairs, std::span<const std::string> tokens)
    : byte_ids_(byte_ids), pairs_(std::move(pairs)), words_(tokens.size()) {
  Scratch scratch;
  std::vector<u32> merged;
  for (u32 id = 0; id < tokens.size(); ++id) {
    merged.clear();
    merge_pairs(tokens[id], scratch, merged);
    if (merged.size() == 1 && merged[0] == id) words_.add(tokens[id], id);
  }
}

void Bpe::merge(std::string_view piece, Scratch& scratch, std::vector<u32>& out) const {
  if (const auto word = words_.find(piece)) {
    out.push_back(*word);
  } else {
    merge_pairs(piece, scratch, out);
  }
}

// The queue holds every possible merge, and old ones: those whose rank is no longer that of their left symbol.
void Bpe::merge_pairs(std::string_view piece, Scratch& scratch, std::vector<u32>& out) const {
  check(piece.size() < kNone, "a piece has less than 4 GiB");
  auto& symbols = scratch.symbols;
  auto& queue = scratch.queue;
  const u32 n = static_cast<u32>(piece.size());
  symbols.resize(n);
  queue.clear();
  for (u32 i = 0; i < n; ++i) {
    symbols[i] = {byte_ids_[static_cast<u8>(piece[i])], i == 0 ? kNone : i - 1, i + 1 == n ? kNone : i + 1, kNoRank};
  }
  // Finds the rank of a symbol's merge and queues it, if there is one.
  auto add_merge = [&](u32 at) {
    Symbol& left = symbols[at];
    left.rank = left.next == kNone ? kNoRank : pairs_.rank(left.id, symbols[left.next].id);
    if (left.rank != kNoRank) queue.push_back(u64{left.rank} << 32 | at);
    return left.rank != kNoRank;
  };
  for (u32 i = 0; i < n; ++i) add_merge(i);
  std::make_heap(queue.begin(), queue.end(), std::greater<>());

  while (!queue.empty()) {
    std::pop_heap(queue.begin(), queue.end(), std::greater<>());
    const u64 best = queue.back();
    queue.pop_back();
    const u32 rank = static_cast<u32>(best >> 32);
    const u32 at = static_cast<u32>(best);
    Symbol& left = symbols[at];
    if (left.rank != rank) continue;
    Symbol& right = symbols[left.next];
    left.id = pairs_.result(rank);
    left.next = right.next;
    right.rank = kNoRank;
    if (left.next != kNone) symbols[left.next].previous = at;
    if (add_merge(at)) std::push_heap(queue.begin(), queue.end(), std::greater<>());
    if (left.previous != kNone && add_merge(left.previous)) {
      std::push_heap(queue.begin(), queue.end(), std::greater<>());
    }
  }
  for (u32 i = 0; i < n; i = symbols[i].next) out.push_back(symbols[i].id);
}

}  // namespace bolide::text
