#include "text/constrain/token_masks.h"

namespace bolide::text {

GrammarPosition::GrammarPosition(std::shared_ptr<const Grammar> grammar, GrammarNode begin,
                                 std::shared_ptr<const Vocabulary> vocabulary)
    : vocabulary_(std::move(vocabulary)),
      memory_(std::make_shared<Memory>(Memory{{std::move(grammar), begin, vocabulary_->longest_token()}, {}})),
      state_(memory_->matcher.start()) {}

bool GrammarPosition::accept(std::string_view bytes) {
  bound_memory();
  for (const char byte : bytes) {
    state_ = memory_->matcher.step(state_, static_cast<u8>(byte));
    if (state_ == kDead) return false;
  }
  return true;
}

bool GrammarPosition::accept(u32 id) {
  const std::string_view bytes = vocabulary_->bytes(id);
  return !bytes.empty() && accept(bytes);
}

std::span<const u64> GrammarPosition::allowed() {
  bound_memory();
  const MatcherState state = memory_->matcher.same_mask(state_);
  const auto [mask, is_new] = memory_->masks.try_emplace(state);
  if (is_new) {
    mask->second.resize((vocabulary_->size() + 63) / 64);
    vocabulary_->allow(memory_->matcher, state, mask->second);
  }
  return mask->second;
}

void GrammarPosition::bound_memory() {
  if (memory_->matcher.size() <= kMostStates && memory_->masks.size() <= kMostMasks) return;
  memory_ = std::make_shared<Memory>(Memory{memory_->matcher.fresh(state_), {}});
  state_ = memory_->matcher.start();
}

}  // namespace bolide::text
