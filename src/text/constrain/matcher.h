// Follows a grammar byte by byte. A state is the set of all ways in which the bytes so far may have been meant; equal
// sets are one state with one number, so that the loops of real outputs (inside a string, between two items) come back
// to states that are known, and a step is a look into a table.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "text/constrain/grammar.h"

namespace bolide::text {

// A state number; kDead: the bytes so far begin nothing that the grammar knows.
using MatcherState = u32;
constexpr MatcherState kDead = 0;

// For one thread.
class Matcher {
 public:
  // `begin` is where an output begins. A repetition whose bounds are more than `far` bytes away counts no longer
  // exactly in masks (see same_mask()); it is the length of the longest token.
  Matcher(std::shared_ptr<const Grammar> grammar, GrammarNode begin, u32 far);

  MatcherState start() const { return start_; }
  MatcherState step(MatcherState state, u8 byte) {
    const MatcherState known = states_[state].next[byte];
    return known != kUnknown ? known : find_next(state, byte);
  }
  // Whether the output may end here.
  bool may_end(MatcherState state) const { return states_[state].may_end; }
  // Whether anything can follow.
  bool may_go_on(MatcherState state) const { return !states_[state].threads.empty(); }
  // The state that allows the same next tokens and stands for all of them.
  MatcherState same_mask(MatcherState state);

  std::size_t size() const { return states_.size(); }
  // A matcher that knows only the given state, its start().
  Matcher fresh(MatcherState state) const;

 private:
  Matcher(std::shared_ptr<const Grammar> grammar, u32 far);

  // Frames above each other. A level of JSON takes at least two of them, so outputs nest at most half as deep, which
  // our own reader can read (kDeepestJson).
  static constexpr u32 kDeepestFrame = 500;
  static constexpr MatcherState kUnknown = 0xffffffff;

  // Where a rule returns to. `count`: repetitions begun, where the node is a repetition.
  struct Frame {
    GrammarNode node;
    u32 parent;
    u32 count;
    u32 depth;
    auto operator<=>(const Frame&) const = default;
  };
  // One way to have meant the bytes: the node that waits for a byte, and the frames above it (0: none).
  struct Thread {
    GrammarNode node;
    u32 frame;
    auto operator<=>(const Thread&) const = default;
  };
  using Threads = std::vector<Thread>;
  struct State {
    Threads threads;
    bool may_end = false;
    std::array<MatcherState, 256> next;
  };
  // Gathers the threads that are reached without a byte.
  struct Closure {
    Threads threads;
    bool may_end = false;
    std::set<std::array<u32, 3>> seen;  // node, frame, count
  };

  void follow(GrammarNode node, u32 frame, u32 count, Closure& closure);
  void return_from_rule(u32 frame, Closure& closure);
  MatcherState intern(Closure closure);
  MatcherState find_next(MatcherState state, u8 byte);
  u32 frame_number(const Frame& frame);
  void enter_rule(GrammarRule rule, GrammarNode then, u32 frame, u32 count, Closure& closure);
  u32 far_frame(u32 frame);
  u32 copy_frame(const Matcher& from, u32 frame);

  std::shared_ptr<const Grammar> grammar_;
  u32 far_;
  std::vector<Frame> frames_;
  std::map<Frame, u32> frame_numbers_;
  std::vector<State> states_;
  std::map<std::pair<Threads, bool>, MatcherState> state_numbers_;
  MatcherState start_ = kDead;
};

}  // namespace bolide::text
