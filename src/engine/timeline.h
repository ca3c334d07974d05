// One session on the forwards of room model: a token list with its state, moved to whatever prompt comes next.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "engine/model_files.h"
#include "model/state.h"

namespace bolide::engine {

// For one thread. The model must outlive it.
class Timeline {
 public:
  explicit Timeline(const OpenModel& open)
      : open_(open), forward_(open.model, *open.arithmetic), state_(open.model.config) {}

  u64 position() const { return state_.position(); }
  const model::State& state() const { return state_; }
  const model::Forward& forward() const { return forward_; }
  bool has_drafter() const { return open_.model.weights.draft.has_value(); }

  // Goes back to where feeding `prompt` goes on: behind the longest common prefix, but before the prompt's last token,
  // whose logits are wanted (they are never stored). Returns how many tokens of the prompt are known.
  u64 seek(std::span<const u32> prompt);

  // Feeds tokens. `logits` gets the logits after the last one, if it is not empty.
  Status feed(std::span<const u32> ids, std::span<float> logits);
  Status feed(std::span<const u32> ids, model::StepObserver& observer) {
    return forward_.advance(state_, ids, observer);
  }

 private:
  const OpenModel& open_;
  model::Forward forward_;
  model::State state_;
};

}  // namespace bolide::engine
