// The constants of the Engram hash by their rules, for models that come without engram.json. Source: spec model.md 3.2.
#pragma once
#include <string>

#include "engram/constants.h"
#include "engram/token_map.h"

namespace bolide::engram {

// Primes of all tables: the primes from `start` on, ascending, n_columns for each table in turn; none is used twice.
std::vector<std::vector<u64>> table_primes(u64 start, std::size_t n_tables, u32 n_columns);

// The multipliers of a layer's table: odd, below (2^63 - 1) / compressed_vocab_size.
std::vector<u64> table_multipliers(u32 layer, u32 compressed_vocab_size, u32 max_ngram);

// All constants. Of `shape` vocab_size, pad_id, max_ngram, n_heads and layer_ids are read; the rest of a shape follows:
// compressed_vocab_size from the map, rows from the primes. The map is one of shape.vocab_size tokens.
EngramConstants make_constants(const EngramShape& shape, TokenMap map, u64 prime_search_start);

// engram.json, as parse_engram_constants reads it.
std::string engram_json(const EngramConstants& constants, const EngramShape& shape);

}  // namespace bolide::engram
