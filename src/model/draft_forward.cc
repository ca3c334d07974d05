// The drafter's forward (spec dspark.md 1.5).
#include "arith/bf16.h"
#include "model/forward_row.h"
#include "model/selection.h"

namespace bolide::model {

// Context rows of newly fed positions (1.5 A): the taps, projected once, then one window row per stage.
void Forward::capture_draft_context(State& state, u64 first_position) const {
  if (!model_.weights.draft) return;
  const DraftWeights& draft = *model_.weights.draft;
  for (u64 position = first_position; position < state.position(); ++position) {
    std::vector<float> taps(state.tap_width);
    for (u32 i = 0; i < state.tap_width; ++i) taps[i] = arith::bf16_value(state.taps[position * state.tap_width + i]);
    std::vector<float> x(model_.config.dim);
    arithmetic_.linear(draft.main_proj, 0, taps, x);
    arithmetic_.norm(x, draft.main_norm, x);
    for (std::size_t stage = 0; stage < draft.stages.size(); ++stage) {
      const Block block(model_.config, arithmetic_, draft.stages[stage], RopeKind::kPlain);
      block.window_row(x, position, state.draft_window[stage].append());
    }
  }
}

// One stage over the rows of the block (1.5 C): all rows see the context and all rows of the block.
Status Forward::run_draft_stage(std::size_t stage, const State& state, std::vector<Row>& rows) const {
  const Block block(model_.config, arithmetic_, model_.weights.draft->stages[stage], RopeKind::kPlain);
  const RowList<kWindowRowBytes>& context = state.draft_window[stage];
  const u64 end = state.position();
  std::vector<float> entries;
  std::array<float, kHeadDim> decoded;
  for (u64 position = end > state.window_size ? end - state.window_size : 0; position < end; ++position) {
    decode_window_row(context.row(position), decoded);
    entries.insert(entries.end(), decoded.begin(), decoded.end());
  }
  std::vector<Entered> entered;
  for (const Row& row : rows) {
    entered.push_back(block.enter_attention(row.streams));
    std::array<std::byte, kWindowRowBytes> window_row;
    block.window_row(entered.back().x, row.position, window_row);
    decode_window_row(window_row, decoded);
    entries.insert(entries.end(), decoded.begin(), decoded.end());
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Block::Query query = block.query(entered[i].x, rows[i].position);
    expand(entered[i].mix, block.attend(query, rows[i].position, entries), rows[i].streams);
  }
  for (Row& row : rows) {
    const Entered into = block.enter_mixture(row.streams);
    const std::vector<float> logits = block.router_logits(into.x);
    if (Status status = check_finite(logits, row.position, "the drafter's router"); !status) return status;
    expand(into.mix, block.mixture(into.x, logits, model_.config.draft.n_activated_experts, false), row.streams);
    if (Status status = check_finite(row.streams.h, row.position, "the drafter's streams"); !status) return status;
  }
  return {};
}

Result<DraftBlock> Forward::draft(const State& state, u32 anchor) const {
  check(model_.weights.draft.has_value(), "draft() is asked only of a model with a drafter");
  check(state.position() >= 1 && anchor < model_.config.vocab_size, "a draft needs a context and an anchor");
  const DraftWeights& weights = *model_.weights.draft;
  const DraftConfig& draft = model_.config.draft;
  std::vector<Row> rows;
  for (u32 i = 0; i < draft.block_size; ++i) {
    const u32 id = i == 0 ? anchor : draft.noise_token_id;
    rows.push_back({state.position() + i, false, Streams(embedding(model_.weights.embed, id)), {}, {}});
  }
  for (std::size_t stage = 0; stage < weights.stages.size(); ++stage) {
    if (Status status = run_draft_stage(stage, state, rows); !status) return status.error();
  }

  // Base logits per row, then the Markov chain fixes one token after the other (1.5 D to F).
  DraftBlock block;
  block.logits.resize(u64{draft.block_size} * model_.config.vocab_size);
  std::vector<float> bigram(model_.config.vocab_size);
  u32 previous = anchor;
  for (u32 i = 0; i < draft.block_size; ++i) {
    const std::span<float> logits = std::span(block.logits).subspan(u64{i} * bigram.size(), bigram.size());
    std::vector<float> confidence_input = collapse(rows[i].streams);
    std::vector<float> x(confidence_input.size());
    arithmetic_.norm(confidence_input, weights.norm, x);
    arithmetic_.logits(model_.weights.head, x, logits);
    const std::vector<float> markov = embedding(weights.markov_embed, previous);
    arithmetic_.logits(weights.markov_head, markov, bigram);
    for (std::size_t id = 0; id < bigram.size(); ++id) logits[id] = logits[id] + bigram[id];
    if (Status status = check_finite(logits, rows[i].position, "the drafter's logits"); !status) return status.error();

    confidence_input.insert(confidence_input.end(), markov.begin(), markov.end());
    float confidence = 0;
    arithmetic_.float_linear(weights.confidence, confidence_input, std::span(&confidence, 1));
    block.confidence.push_back(confidence);
    previous = argmax(logits);
    block.ids.push_back(previous);
  }
  return block;
}

}  // namespace bolide::model
