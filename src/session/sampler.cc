#include "session/sampler.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <vector>

#include "arith/functions.h"
#include "arith/reductions.h"
#include "base/check.h"
#include "model/selection.h"
#include "session/noise.h"

namespace bolide::session {
namespace {

bool may_come(std::span<const u64> allowed, u32 id) {
  return allowed.empty() || (allowed[id / 64] >> (id % 64) & 1) != 0;
}

// The likeliest id that may come, of equals the lower.
u32 greedy(std::span<const float> logits, std::span<const u64> allowed) {
  if (allowed.empty()) return model::argmax(logits);
  std::optional<u32> best;
  for (u32 id = 0; id < logits.size(); ++id) {
    if (may_come(allowed, id) && (!best || logits[id] > logits[*best])) best = id;
  }
  check(best.has_value(), "a mask leaves at least one id");
  return *best;
}

// The ids of the support, best first: by logit descending, then id ascending.
class Support {
 public:
  Support(std::span<const float> logits, const Sampling& sampling, std::span<const u64> allowed)
      : logits_(logits), sampling_(sampling) {
    for (u32 id = 0; id < logits.size(); ++id) {
      if (may_come(allowed, id)) ids_.push_back(id);
    }
    if (limits_anything()) {
      std::sort(ids_.begin(), ids_.end(),
                [&](u32 a, u32 b) { return logits_[a] > logits_[b] || (logits_[a] == logits_[b] && a < b); });
      keep_top_k();
      keep_likely();
    }
  }

  const std::vector<u32>& ids() const { return ids_; }

 private:
  bool limits_anything() const { return sampling_.top_k != 0 || sampling_.top_p < 1.0f || sampling_.min_p > 0.0f; }

  void keep_top_k() {
    if (sampling_.top_k != 0 && ids_.size() > sampling_.top_k) ids_.resize(sampling_.top_k);
  }

  // top-p: a sequential cumulative chain, up to and including the first sum >= top_p * S; then min-p.
  void keep_likely() {
    const float largest = logits_[ids_.front()];
    const auto weight = [&](u32 id) { return arith::exp((logits_[id] - largest) / sampling_.temperature); };
    std::vector<float> weights(logits_.size(), 0.0f);  // 0 for an excluded id; S is rule 4 over the whole vocabulary
    for (const u32 id : ids_) weights[id] = weight(id);
    const float wanted = sampling_.top_p * arith::ordered_sum(weights);
    std::size_t kept = 0;
    float sum = 0.0f;
    while (kept < ids_.size()) {
      sum = sum + weights[ids_[kept]];
      ++kept;
      if (sum >= wanted && sampling_.top_p < 1.0f) break;
    }
    const float least = sampling_.min_p * weights[ids_.front()];
    while (kept > 1 && weights[ids_[kept - 1]] < least) --kept;
    ids_.resize(kept);
  }

  std::span<const float> logits_;
  const Sampling& sampling_;
  std::vector<u32> ids_;
};

}  // namespace

Status check_sampling(const Sampling& sampling) {
  const auto outside = [](std::string_view name, float value, std::string_view range) {
    return Error{fmt::format("{} is {}, but must be {}", name, value, range)};
  };
  if (!(sampling.temperature >= 0.0f && sampling.temperature <= 100.0f)) {
    return outside("temperature", sampling.temperature, "from 0 to 100");
  }
  if (!(sampling.top_p > 0.0f && sampling.top_p <= 1.0f)) return outside("top-p", sampling.top_p, "above 0, at most 1");
  if (!(sampling.min_p >= 0.0f && sampling.min_p <= 1.0f)) return outside("min-p", sampling.min_p, "from 0 to 1");
  return {};
}

u32 sample(std::span<const float> logits, const Sampling& sampling, u64 position, std::span<const u64> allowed) {
  if (sampling.temperature == 0.0f) return greedy(logits, allowed);
  u32 best = 0;
  float best_value = -std::numeric_limits<float>::infinity();
  const Support support(logits, sampling, allowed);
  check(!support.ids().empty(), "a mask leaves at least one id");
  for (const u32 id : support.ids()) {
    const float value = logits[id] / sampling.temperature + token_noise(sampling.seed, position, id);
    if (value > best_value || (value == best_value && id < best)) {
      best = id;
      best_value = value;
    }
  }
  return best;
}

}  // namespace bolide::session
