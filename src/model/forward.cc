#include "model/forward.h"

#include <fmt/format.h>

#include "arith/bf16.h"
#include "arith/reductions.h"
#include "engram/hash.h"
#include "model/forward_row.h"

namespace bolide::model {

void StepObserver::streams(std::string_view, u64, std::span<const float>) {}
void StepObserver::selection(u32, u64, std::span<const u32>, std::span<const u32>) {}

Status check_finite(std::span<const float> values, u64 position, std::string_view place) {
  if (dialect::is_finite(arith::max_magnitude(values))) return {};
  return Error{fmt::format(
      "position {}: a value that is not finite in {}. The weights do not fit the arithmetic, or the file is damaged",
      position, place)};
}

Status Forward::advance(State& state, std::span<const u32> ids, StepObserver& observer) const {
  const u64 first = state.position();
  std::vector<Row> rows;
  rows.reserve(ids.size());
  for (const u32 id : ids) {
    check(id < model_.config.vocab_size, "callers feed only ids of the vocabulary");
    rows.push_back({first + rows.size(),
                    id == model_.config.image_token_id,
                    Streams(embedding(model_.weights.embed, id)),
                    {},
                    {}});
  }
  state.ids.insert(state.ids.end(), ids.begin(), ids.end());
  if (Status status = run_layers(state, rows, observer); !status) {
    state.rewind(first);
    return status;
  }
  capture_draft_context(state, first);
  for (const Row& row : rows) {
    if (Status status = finish(row, observer); !status) {
      state.rewind(first);
      return status;
    }
  }
  return {};
}

Status Forward::run_layers(State& state, std::vector<Row>& rows, StepObserver& observer) const {
  const auto report = [&](std::string_view part, u32 layer) -> Status {
    const std::string place = fmt::format("{}{}", part, layer);
    for (const Row& row : rows) {
      if (Status status = check_finite(row.streams.h, row.position, place); !status) return status;
      observer.streams(place, row.position, row.streams.h);
    }
    return {};
  };
  for (u32 layer = 0; layer < model_.config.n_layers; ++layer) {
    const LayerRole& role = model_.config.roles[layer];
    if (role.engram != kNone) {
      if (Status status = engram(layer, state, rows); !status) return status;
      if (Status status = report("engram", layer); !status) return status;
    }
    if (role.tap != kNone && state.tap_width > 0) take_taps(role.tap, state, rows);
    if (Status status = attention(layer, state, rows); !status) return status;
    if (role.owns_index) {
      for (const Row& row : rows) observer.selection(layer, row.position, row.selected, row.candidate_blocks);
    }
    if (Status status = report("attention", layer); !status) return status;
    if (Status status = mixture(layer, rows); !status) return status;
    if (Status status = report("mixture", layer); !status) return status;
  }
  return {};
}

// Taps are taken as the layer is entered, after its Engram (spec dspark.md 1.4).
void Forward::take_taps(u32 tap, State& state, const std::vector<Row>& rows) const {
  state.taps.resize(state.position() * state.tap_width);
  for (const Row& row : rows) {
    const std::vector<float> mean = tap_mean(row.streams);
    u16* codes = &state.taps[row.position * state.tap_width + u64{tap} * model_.config.dim];
    for (std::size_t i = 0; i < mean.size(); ++i) codes[i] = arith::bf16_code(mean[i]);
  }
}

Status Forward::mixture(u32 layer, std::vector<Row>& rows) const {
  const Block block(model_.config, arithmetic_, model_.weights.layers[layer], rope_kind(layer));
  for (Row& row : rows) {
    const Entered entered = block.enter_mixture(row.streams);
    const std::vector<float> logits = block.router_logits(entered.x);
    if (Status status = check_finite(logits, row.position, fmt::format("the router of layer {}", layer)); !status) {
      return status;
    }
    expand(entered.mix, block.mixture(entered.x, logits, model_.config.n_activated_experts, row.image), row.streams);
  }
  return {};
}

Status Forward::finish(const Row& row, StepObserver& observer) const {
  if (!observer.wants_logits(row.position)) return {};
  std::vector<float> x = collapse(row.streams);
  arithmetic_.norm(x, model_.weights.norm, x);
  observer.streams("final_norm", row.position, x);
  std::vector<float> logits(model_.config.vocab_size);
  arithmetic_.logits(model_.weights.head, x, logits);
  if (Status status = check_finite(logits, row.position, "the logits"); !status) return status;
  observer.logits(row.position, logits);
  return {};
}

Sha256Digest Forward::state_hash(const State& state) const {
  const std::vector<i32> newest =
      engram::compressed_history(model_.engram_constants, state.ids, 3, model_.config.image_token_id);
  return model::state_hash(state, std::span<const i32, 3>(newest));
}

std::vector<float> Forward::embedding(const Matrix& matrix, u32 id) const {
  check(matrix.type == MatrixType::kBf16, "loaders hand out embeddings as plain BF16 rows");
  std::vector<float> row(matrix.k);
  const std::byte* codes = &matrix.codes[u64{id} * matrix.k * 2];
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = arith::bf16(arith::bf16_value(load<u16>(codes + 2 * i)));
  return row;
}

}  // namespace bolide::model
