#include "engram/hash.h"

#include <algorithm>

#include "base/check.h"

namespace bolide::engram {

std::vector<i32> compressed_history(const EngramConstants& constants, std::span<const u32> tokens, u32 n,
                                    u32 image_token) {
  std::vector<i32> history(n, kBlocked);
  for (std::size_t i = 0; i < std::min<std::size_t>(n, tokens.size()); ++i) {
    const u32 token = tokens[tokens.size() - 1 - i];
    check(token < constants.token_map.size(), "token ids were checked against the vocabulary");
    if (token != image_token) history[i] = static_cast<i32>(constants.token_map[token]);
  }
  return history;
}

std::vector<u32> ngram(const EngramConstants& constants, std::span<const i32> history) {
  std::vector<u32> ids(history.size(), constants.compressed_pad_id);
  for (std::size_t i = 0; i < history.size() && history[i] != kBlocked; ++i) ids[i] = static_cast<u32>(history[i]);
  return ids;
}

std::vector<u64> row_numbers(const TableConstants& table, std::span<const u32> ngram) {
  check(ngram.size() == table.multipliers.size(), "an n-gram has one id per multiplier");
  const std::size_t n_heads = table.primes.size() / (ngram.size() - 1);
  std::vector<u64> rows;
  rows.reserve(table.primes.size());
  u64 hash = ngram[0] * table.multipliers[0];  // unsigned 64-bit products wrap round by design
  for (std::size_t n = 1; n < ngram.size(); ++n) {
    hash ^= ngram[n] * table.multipliers[n];
    for (std::size_t head = 0; head < n_heads; ++head) {
      const std::size_t column = rows.size();
      rows.push_back(hash % table.primes[column] + table.first_rows[column]);
    }
  }
  return rows;
}

}  // namespace bolide::engram
