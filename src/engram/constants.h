// The constants of the Engram hash, engram.json: token map, primes and multipliers. Source: spec model.md 3.2.
#pragma once
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engram/shape.h"

namespace bolide::engram {

// The hash of one table. Columns stand in the order 2-grams of all heads, 3-grams of all heads, ...
struct TableConstants {
  std::vector<u64> multipliers;  // per position of the n-gram, newest first
  std::vector<u64> primes;       // per column
  std::vector<u64> first_rows;   // per column: the sum of the primes before it
  u64 rows = 0;                  // the sum of all primes
};

struct EngramConstants {
  std::vector<u32> token_map;  // token id -> compressed id, below compressed_vocab_size
  u32 compressed_vocab_size = 0;
  u32 pad_id = 0;             // a token id
  u32 compressed_pad_id = 0;  // what a blocked position of an n-gram reads as
  std::vector<TableConstants> tables;
};

// Parses engram.json and checks it against the model's shape. `what` names the file in errors, which name the field.
Result<EngramConstants> parse_engram_constants(std::string_view json, std::string_view what, const EngramShape& shape);

}  // namespace bolide::engram
