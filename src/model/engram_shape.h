// Config seen from room engram, which knows no Config.
#pragma once
#include "engram/shape.h"
#include "model/config.h"

namespace bolide::model {

inline engram::EngramShape engram_shape(const Config& config) {
  const EngramConfig& e = config.engram;
  return {.vocab_size = config.vocab_size,
          .compressed_vocab_size = e.compressed_vocab_size,
          .pad_id = e.pad_id,
          .max_ngram = e.max_ngram,
          .n_heads = e.n_heads,
          .head_dim = e.head_dim,
          .layer_ids = e.layer_ids,
          .rows = e.rows};
}

}  // namespace bolide::model
