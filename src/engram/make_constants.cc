#include "engram/make_constants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

#include "base/check.h"
#include "engram/numpy_random.h"

namespace bolide::engram {
namespace {

bool is_prime(u64 n) {
  if (n < 4) return n >= 2;
  if (n % 2 == 0) return false;
  for (u64 divisor = 3; divisor * divisor <= n; divisor += 2) {
    if (n % divisor == 0) return false;
  }
  return true;
}

// "[[2003, 2011], [2017, 2027]]": one list for each n-gram's heads.
std::string primes_json(const TableConstants& table, u32 n_heads) {
  std::string json;
  for (std::size_t i = 0; i < table.primes.size(); i += n_heads) {
    json += fmt::format("{}[{}]", i == 0 ? "" : ", ", fmt::join(std::span(table.primes).subspan(i, n_heads), ", "));
  }
  return "[" + json + "]";
}

}  // namespace

std::vector<std::vector<u64>> table_primes(u64 start, std::size_t n_tables, u32 n_columns) {
  std::vector<std::vector<u64>> tables(n_tables);
  u64 candidate = start;
  for (std::vector<u64>& primes : tables) {
    for (; primes.size() < n_columns; ++candidate) {
      if (is_prime(candidate)) primes.push_back(candidate);
    }
  }
  return tables;
}

std::vector<u64> table_multipliers(u32 layer, u32 compressed_vocab_size, u32 max_ngram) {
  const u64 bound = u64{std::numeric_limits<i64>::max()} / compressed_vocab_size / 2;
  std::vector<u64> multipliers = numpy_integers(10007 * layer, bound, max_ngram);
  for (u64& multiplier : multipliers) multiplier = 2 * multiplier + 1;
  return multipliers;
}

EngramConstants make_constants(const EngramShape& shape, TokenMap map, u64 prime_search_start) {
  check(map.ids.size() == shape.vocab_size && shape.pad_id < shape.vocab_size, "the map is of the shape's vocabulary");
  EngramConstants constants;
  constants.compressed_vocab_size = map.compressed_vocab_size;
  constants.pad_id = shape.pad_id;
  constants.compressed_pad_id = map.ids[shape.pad_id];
  constants.token_map = std::move(map.ids);
  for (std::vector<u64>& primes : table_primes(prime_search_start, shape.layer_ids.size(), shape.columns())) {
    TableConstants table;
    table.multipliers =
        table_multipliers(shape.layer_ids[constants.tables.size()], constants.compressed_vocab_size, shape.max_ngram);
    for (const u64 prime : primes) {
      table.first_rows.push_back(table.rows);
      table.rows += prime;
    }
    table.primes = std::move(primes);
    constants.tables.push_back(std::move(table));
  }
  return constants;
}

std::string engram_json(const EngramConstants& constants, const EngramShape& shape) {
  std::vector<u64> rows;
  std::vector<std::string> primes;
  std::vector<std::string> multipliers;
  for (const TableConstants& table : constants.tables) {
    rows.push_back(table.rows);
    primes.push_back(primes_json(table, shape.n_heads));
    multipliers.push_back(fmt::format("[\"{}\"]", fmt::join(table.multipliers, "\", \"")));
  }
  return fmt::format(
      R"({{"compressed_vocab_size": {}, "pad_id": {}, "compressed_pad_id": {}, "rows": [{}], "primes": [{}], )"
      R"("multipliers": [{}], "token_map": [{}]}})",
      constants.compressed_vocab_size, constants.pad_id, constants.compressed_pad_id, fmt::join(rows, ", "),
      fmt::join(primes, ", "), fmt::join(multipliers, ", "), fmt::join(constants.token_map, ", "));
}

}  // namespace bolide::engram
