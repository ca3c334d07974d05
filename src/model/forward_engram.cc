// The Engram before a layer (spec model.md 3.2): hashed n-grams look up rows, a gate per stream adds their value.
#include <fmt/format.h>

#include "engram/hash.h"
#include "model/forward_row.h"

namespace bolide::model {

Status Forward::engram(u32 layer, const State& state, std::vector<Row>& rows) const {
  const EngramConfig& shape = model_.config.engram;
  const EngramWeights& w = *model_.weights.layers[layer].engram;
  const u32 table = model_.config.roles[layer].engram;
  const u32 dim = model_.config.dim;
  std::vector<float> memory(shape.width());
  std::vector<float> kv(w.wkv.rows);
  for (Row& row : rows) {
    if (row.image) continue;
    const auto history =
        engram::compressed_history(model_.engram_constants, std::span(state.ids).first(row.position + 1),
                                   shape.max_ngram, model_.config.image_token_id);
    const std::vector<u64> numbers =
        engram::row_numbers(model_.engram_constants.tables[table], engram::ngram(model_.engram_constants, history));
    if (Status status = engram::read_values(*model_.engram_rows, table, numbers, memory); !status) return status;
    arithmetic_.linear(w.wkv, 0, memory, kv);
    if (Status status = check_finite(kv, row.position, fmt::format("the Engram of layer {}", layer)); !status)
      return status;
    const std::span<const float> value = std::span(kv).subspan(u64{4} * dim, dim);
    for (u32 c = 0; c < 4; ++c) {
      arithmetic_.engram_gate(row.streams.stream(c), std::span(kv).subspan(u64{c} * dim, dim), value, w.q_weight.row(c),
                              w.k_weight.row(c));
    }
  }
  return {};
}

}  // namespace bolide::model
