#include "text/word_table.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace bolide::text {

WordTable::WordTable(std::size_t n_words) {
  const std::size_t n_slots = std::bit_ceil(std::max<std::size_t>(2 * n_words, 2));
  slots_.resize(n_slots);
  mask_ = n_slots - 1;
  shift_ = static_cast<u32>(64 - std::countr_zero(n_slots));
}

void WordTable::add(std::string_view word, u32 id) {
  check(!word.empty() && bytes_.size() + word.size() <= 0xFFFFFFFFU, "words are not empty and fit into 4 GiB");
  const u64 hash = hash_of(word);
  std::size_t i = hash >> shift_;
  while (slots_[i].length != 0) i = (i + 1) & mask_;
  slots_[i] = {static_cast<u32>(hash), static_cast<u32>(word.size()), static_cast<u32>(bytes_.size()), id};
  bytes_ += word;
}

}  // namespace bolide::text
