// The forward pass of the plain forwards and the oracle: tokens in, state forward, logits out (spec model.md 3;
// drafter: dspark.md 1). One wiring for every arithmetic; it runs layer by layer over the rows of a call, so that
// chunking is really exercised, and every row sees exactly what it would see alone (spec 3.11), so that chunking
// changes no bit.
#pragma once
#include <memory>
#include <span>
#include <string_view>

#include "base/result.h"
#include "engram/constants.h"
#include "engram/row_store.h"
#include "model/arithmetic.h"
#include "model/config.h"
#include "model/state.h"
#include "model/weights.h"

namespace bolide::model {

// Told what a step computes, as it is computed. Spans are valid during the call only.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  // Whether the logits after the token at `position` are wanted.
  virtual bool wants_logits(u64 position) = 0;
  virtual void logits(u64 position, std::span<const float> logits) = 0;
  // The four streams after a sub-block ("engram3", "attention3", "mixture3"), and "final_norm": what enters the head.
  // Optional.
  virtual void streams(std::string_view sub_block, u64 position, std::span<const float> values);
  // What the indexer of a layer chose: the compressed rows that are attended to, and the candidate blocks that limited
  // them or, in the candidate source, were made; both ascending. Optional.
  virtual void selection(u32 layer, u64 position, std::span<const u32> selected, std::span<const u32> candidate_blocks);
};

// A greedy draft block (spec dspark.md 1.5): after anchor, block_size guesses.
struct DraftBlock {
  std::vector<u32> ids;
  std::vector<float> confidence;  // logits of the confidence head
  std::vector<float> logits;      // [block][vocab]: base plus Markov logits
};

// Everything a forward reads. Immutable; any thread may use it, each with its own State.
struct Model {
  Config config;
  Weights weights;
  engram::EngramConstants engram_constants;
  std::shared_ptr<const engram::RowReader> engram_rows;
};

class Forward {
 public:
  // Both must outlive the Forward.
  Forward(const Model& model, const Arithmetic& arithmetic) : model_(model), arithmetic_(arithmetic) {}

  // Feeds `ids` (each below vocab_size) after state's tokens. Fails on a non-finite value, naming position and place,
  // or when Engram rows cannot be read; the state is then rewound to the largest even position at or below where it
  // was.
  Status advance(State& state, std::span<const u32> ids, StepObserver& observer) const;

  // The drafter's guesses for the positions after `anchor`, which stands at state.position() >= 1 and is not fed yet.
  Result<DraftBlock> draft(const State& state, u32 anchor) const;

  // The state hash of interfaces.md.
  Sha256Digest state_hash(const State& state) const;

 private:
  struct Row;

  Status run_layers(State& state, std::vector<Row>& rows, StepObserver& observer) const;
  Status engram(u32 layer, const State& state, std::vector<Row>& rows) const;
  Status attention(u32 layer, State& state, std::vector<Row>& rows) const;
  Status compress(u32 layer, OwnerState& caches, std::span<const float> x, u64 position) const;
  Status select(u32 layer, const OwnerState& caches, std::span<const float> low_rank, std::span<const float> x,
                Row& row) const;
  Status mixture(u32 layer, std::vector<Row>& rows) const;
  void take_taps(u32 tap, State& state, const std::vector<Row>& rows) const;
  Status finish(const Row& row, StepObserver& observer) const;
  void capture_draft_context(State& state, u64 first_position) const;
  Status run_draft_stage(std::size_t stage, const State& state, std::vector<Row>& rows) const;

  std::vector<float> embedding(const Matrix& matrix, u32 id) const;
  RopeKind rope_kind(u32 layer) const {
    return model_.config.roles[layer].ratio == 0 ? RopeKind::kPlain : RopeKind::kCompressed;
  }

  const Model& model_;
  const Arithmetic& arithmetic_;
};

}  // namespace bolide::model
