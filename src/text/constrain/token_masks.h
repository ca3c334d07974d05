// Which tokens may come next in a grammar, remembered by state.
#pragma once
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "text/constrain/vocabulary.h"

namespace bolide::text {

// A position in a grammar. Copies share what is remembered; for one thread.
class GrammarPosition {
 public:
  GrammarPosition(std::shared_ptr<const Grammar> grammar, GrammarNode begin,
                  std::shared_ptr<const Vocabulary> vocabulary);

  // Moves on by a token's bytes; false if the grammar has no such continuation.
  bool accept(u32 id);
  bool accept(std::string_view bytes);
  bool may_end() const { return memory_->matcher.may_end(state_); }
  bool may_go_on() const { return memory_->matcher.may_go_on(state_); }
  // The bits of the tokens that may come next; valid until the next call on this position or a copy.
  std::span<const u64> allowed();

 private:
  // Beyond this many states or masks the position begins a memory of its own, so that an output which comes to ever new
  // states takes bounded memory.
  static constexpr std::size_t kMostStates = 16'384;
  static constexpr std::size_t kMostMasks = 1'024;

  struct Memory {
    Matcher matcher;
    std::unordered_map<MatcherState, std::vector<u64>> masks;
  };

  void bound_memory();

  std::shared_ptr<const Vocabulary> vocabulary_;
  std::shared_ptr<Memory> memory_;
  MatcherState state_;
};

}  // namespace bolide::text
