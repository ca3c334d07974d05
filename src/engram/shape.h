// The sizes of a model's Engram tables: all that this room knows of a configuration. Source: spec model.md 1, 3.2.
#pragma once
#include <vector>

#include "base/types.h"

namespace bolide::engram {

struct EngramShape {
  u32 vocab_size = 0;
  u32 compressed_vocab_size = 0;
  u32 pad_id = 0;     // a token id
  u32 max_ngram = 0;  // n-grams of 2 .. max_ngram tokens
  u32 n_heads = 0;
  u32 head_dim = 0;            // a multiple of 32
  std::vector<u32> layer_ids;  // one table each
  std::vector<u64> rows;       // per table

  u32 columns() const { return (max_ngram - 1) * n_heads; }  // rows looked up per token and table
  u32 width() const { return columns() * head_dim; }         // values of one token's rows
};

}  // namespace bolide::engram
