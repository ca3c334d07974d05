// Byte-pair merging of one piece of text: starting from its bytes, the neighbouring pair with the lowest rank is merged
// again and again, the leftmost first among equals, until no pair can be merged.
#pragma once
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "text/pair_table.h"
#include "text/word_table.h"

namespace bolide::text {

// Immutable once made; any thread may merge.
class Bpe {
 public:
  // Working memory of merge(), kept from piece to piece. One per thread.
  struct Scratch {
    struct Symbol {
      u32 id;
      u32 previous;  // index of the left neighbour
      u32 next;      // index of the right neighbour
      u32 rank;      // of its merge with the right neighbour
    };
    std::vector<Symbol> symbols;  // by the position of their first byte
    std::vector<u64> queue;       // a heap of possible merges, rank << 32 | position of the left symbol
  };

  // `byte_ids`: the token of every single byte. `tokens`: the bytes of every token by its id. The tokens that are what
  // their bytes merge to go into a word table: most pieces are such tokens, and one look-up then answers.
  Bpe(const std::array<u32, 256>& byte_ids, PairTable pairs, std::span<const std::string> tokens);

  // Appends the tokens of a piece of less than 4 GiB. Time n log n at worst.
  void merge(std::string_view piece, Scratch& scratch, std::vector<u32>& out) const;

 private:
  void merge_pairs(std::string_view piece, Scratch& scratch, std::vector<u32>& out) const;

  std::array<u32, 256> byte_ids_;
  PairTable pairs_;
  WordTable words_;
};

}  // namespace bolide::text
