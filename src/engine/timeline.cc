#include "engine/timeline.h"

#include <algorithm>

namespace bolide::engine {
namespace {

// Wants the logits of one position, or of none.
class LastLogits : public model::StepObserver {
 public:
  LastLogits(u64 position, std::span<float> out) : position_(position), out_(out) {}
  bool wants_logits(u64 position) override { return !out_.empty() && position == position_; }
  void logits(u64, std::span<const float> logits) override { std::copy(logits.begin(), logits.end(), out_.begin()); }

 private:
  u64 position_;
  std::span<float> out_;
};

}  // namespace

u64 Timeline::seek(std::span<const u32> prompt) {
  const auto [known, wanted] = std::mismatch(state_.ids.begin(), state_.ids.end(), prompt.begin(), prompt.end());
  const u64 common = std::min<u64>(static_cast<u64>(wanted - prompt.begin()), prompt.size() - 1);
  return common == state_.position() ? common : state_.rewind(common);
}

Status Timeline::feed(std::span<const u32> ids, std::span<float> logits) {
  LastLogits observer(state_.position() + ids.size() - 1, logits);
  return forward_.advance(state_, ids, observer);
}

}  // namespace bolide::engine
