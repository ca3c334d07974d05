#include "text/constrain/matcher.h"

#include <algorithm>
#include <utility>

namespace bolide::text {

using Kind = Grammar::Node::Kind;

Matcher::Matcher(std::shared_ptr<const Grammar> grammar, u32 far) : grammar_(std::move(grammar)), far_(far) {
  frames_.push_back({});  // number 0: above the outermost rule
  intern({});             // kDead
}

Matcher::Matcher(std::shared_ptr<const Grammar> grammar, GrammarNode begin, u32 far)
    : Matcher(std::move(grammar), far) {
  Closure closure;
  follow(begin, 0, 0, closure);
  start_ = intern(std::move(closure));
}

void Matcher::follow(GrammarNode at, u32 frame, u32 count, Closure& closure) {
  const std::array<u32, 3> place = {at, frame, count};
  if (!closure.seen.insert(place).second) return;
  const Grammar::Node& node = grammar_->node(at);
  switch (node.kind) {
    case Kind::kBytes:
      closure.threads.push_back({at, frame});
      return;
    case Kind::kSplit:
      for (u32 i = node.a; i < node.b; ++i) follow(grammar_->alternative(i), frame, 0, closure);
      return;
    case Kind::kCall:
      enter_rule(node.a, node.next, frame, 0, closure);
      return;
    case Kind::kRepeat: {
      if (count >= node.min) follow(node.next, frame, 0, closure);
      if (count >= node.max) return;
      // Beyond the minimum of an unlimited repetition counting would only make states differ.
      const u32 begun = node.max == kUnlimited ? std::min(count + 1, node.min) : count + 1;
      enter_rule(node.a, at, frame, begun, closure);
      return;
    }
    case Kind::kReturn:
      return_from_rule(frame, closure);
      return;
  }
}

void Matcher::enter_rule(GrammarRule rule, GrammarNode then, u32 frame, u32 count, Closure& closure) {
  const u32 depth = frames_[frame].depth + 1;
  if (depth > kDeepestFrame) return;
  follow(grammar_->rule(rule), frame_number({then, frame, count, depth}), 0, closure);
}

void Matcher::return_from_rule(u32 frame, Closure& closure) {
  if (frame == 0) {
    closure.may_end = true;
    return;
  }
  const Frame to = frames_[frame];
  follow(to.node, to.parent, to.count, closure);
}

u32 Matcher::frame_number(const Frame& frame) {
  const auto [found, is_new] = frame_numbers_.try_emplace(frame, static_cast<u32>(frames_.size()));
  if (is_new) frames_.push_back(frame);
  return found->second;
}

MatcherState Matcher::intern(Closure closure) {
  std::ranges::sort(closure.threads);
  const auto repeated = std::ranges::unique(closure.threads);
  closure.threads.erase(repeated.begin(), repeated.end());
  const auto [found, is_new] =
      state_numbers_.try_emplace({closure.threads, closure.may_end}, static_cast<MatcherState>(states_.size()));
  if (is_new) {
    State& state = states_.emplace_back();
    state.threads = std::move(closure.threads);
    state.may_end = closure.may_end;
    state.next.fill(kUnknown);
  }
  return found->second;
}

MatcherState Matcher::find_next(MatcherState state, u8 byte) {
  Closure closure;
  for (const Thread thread : Threads(states_[state].threads)) {
    const Grammar::Node& node = grammar_->node(thread.node);
    if (grammar_->set(node.a).test(byte)) follow(node.next, thread.frame, 0, closure);
  }
  const MatcherState next = closure.threads.empty() && !closure.may_end ? kDead : intern(std::move(closure));
  states_[state].next[byte] = next;
  return next;
}

// A count from which the repetition's bounds are out of reach of one token becomes the smallest such count.
u32 Matcher::far_frame(u32 number) {
  if (number == 0) return 0;
  Frame frame = frames_[number];
  frame.parent = far_frame(frame.parent);
  const Grammar::Node& node = grammar_->node(frame.node);
  if (node.kind == Kind::kRepeat && (node.max == kUnlimited || node.max - frame.count > far_)) {
    if (frame.count >= node.min) {
      frame.count = std::min(frame.count, std::max(node.min, 1u));
    } else if (node.min - frame.count > far_) {
      frame.count = 1;
    }
  }
  return frame_number(frame);
}

MatcherState Matcher::same_mask(MatcherState state) {
  Closure closure;
  closure.may_end = states_[state].may_end;
  for (const Thread thread : Threads(states_[state].threads)) {
    closure.threads.push_back({thread.node, far_frame(thread.frame)});
  }
  return intern(std::move(closure));
}

u32 Matcher::copy_frame(const Matcher& from, u32 number) {
  if (number == 0) return 0;
  Frame frame = from.frames_[number];
  frame.parent = copy_frame(from, frame.parent);
  return frame_number(frame);
}

Matcher Matcher::fresh(MatcherState state) const {
  Matcher matcher(grammar_, far_);
  Closure closure;
  closure.may_end = states_[state].may_end;
  for (const Thread thread : states_[state].threads) {
    closure.threads.push_back({thread.node, matcher.copy_frame(*this, thread.frame)});
  }
  matcher.start_ = matcher.intern(std::move(closure));
  return matcher;
}

}  // namespace bolide::text
