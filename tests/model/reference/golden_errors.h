// How far an arithmetic's forward is from the golden values of a prompt, which an independent program computed in REF.
#pragma once
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "nano_checkpoint.h"

#include "model/selection.h"

namespace bolide::model {

// The bounds of the acceptance (issue 3), about twice what two correct programs showed.
inline constexpr double kMaxMeanKl = 7e-3;
inline constexpr double kMinConfidentTop1 = 0.99;
inline constexpr double kMaxNll = 0.01;
inline constexpr double kMinDrafts = 0.8;

struct GoldenErrors {
  u64 positions = 0;
  double mean_kl = 0;  // KL(golden || ours) over the golden's 20 ids and one rest bucket, nats
  double max_kl = 0;
  double top1 = 0;  // share of positions with the golden's best id
  u64 confident_positions = 0;
  double confident_top1 = 0;  // the same where the golden's margin exceeds 0.5
  double nll = 0;             // our mean over the golden's mean, minus 1
  u64 guesses = 0;
  double drafts = 0;        // share of equal draft guesses, in the prompt and along the continuation
  u64 confident_steps = 0;  // of the greedy continuation, up to the first margin below 0.5
  u64 equal_steps = 0;      // of those, the leading ones that are equal

  std::string text() const {
    return fmt::format(
        "{} positions: KL mean {:.1e} max {:.1e}, top-1 {:.3f}, with margin {:.3f} of {}, NLL {:+.2f} %, drafts {:.3f} "
        "of {} guesses, greedy {} of {} steps",
        positions, mean_kl, max_kl, top1, confident_top1, confident_positions, 100 * nll, drafts, guesses, equal_steps,
        confident_steps);
  }
};

class GoldenComparison : public StepObserver {
 public:
  GoldenComparison(const Model& model, const Arithmetic& arithmetic, const std::string& name)
      : forward_(model, arithmetic), state_(model.config), golden_(name), tokens_(golden_.ids("token_ids")) {}

  // Feeds the first `limit` tokens of the prompt and, if those are all, the golden's greedy continuation.
  GoldenErrors run(u64 limit = ~u64{0}) {
    const u64 n = std::min<u64>(limit, tokens_.size());
    feed_prompt(n);
    if (n == tokens_.size()) feed_continuation();
    errors_.positions = n;
    errors_.mean_kl /= static_cast<double>(n);
    errors_.top1 /= static_cast<double>(n);
    errors_.confident_top1 /= static_cast<double>(errors_.confident_positions);
    errors_.nll = nll_ / golden_nll_ - 1;
    errors_.drafts /= static_cast<double>(errors_.guesses);
    return errors_;
  }

  bool wants_logits(u64) override { return true; }

  void logits(u64 position, std::span<const float> logits) override {
    best_ = argmax(logits);
    if (position >= tokens_.size()) return;
    double sum = 0;
    for (const float logit : logits) sum += std::exp(double{logit} - logits[best_]);
    const double log_sum = logits[best_] + std::log(sum);
    add_distribution(position, logits, log_sum);
    if (position + 1 < limit_) {
      nll_ += log_sum - logits[tokens_[position + 1]];
      golden_nll_ += golden_nlls_[position];
    }
  }

 private:
  void feed_prompt(u64 n) {
    limit_ = n;
    const std::vector<u32> draft_positions = golden_.ids("draft_positions");
    const std::vector<u32> drafts = golden_.ids("draft_ids");
    for (std::size_t i = 0; i < draft_positions.size() && draft_positions[i] < n; ++i) {
      feed(std::span(tokens_).subspan(state_.position(), draft_positions[i] - state_.position()));
      compare_draft(tokens_[draft_positions[i]], drafts, i);
    }
    feed(std::span(tokens_).subspan(state_.position(), n - state_.position()));
  }

  void feed_continuation() {
    const std::vector<u32> greedy = golden_.ids("greedy64");
    const std::vector<float> margins = golden_.floats("greedy64_margin");
    const std::vector<u32> drafts = golden_.ids("greedy64_drafts");
    bool confident = true;
    bool equal = true;
    for (std::size_t i = 0; i < greedy.size(); ++i) {
      confident = confident && margins[i] >= 0.5f;
      equal = equal && best_ == greedy[i];
      errors_.confident_steps += static_cast<u64>(confident);
      errors_.equal_steps += static_cast<u64>(confident && equal);
      compare_draft(greedy[i], drafts, i);
      feed(std::span(greedy).subspan(i, 1));
    }
  }

  void feed(std::span<const u32> ids) {
    const Status fed = forward_.advance(state_, ids, *this);
    EXPECT_TRUE(fed) << fed.error().message;
  }

  void compare_draft(u32 anchor, const std::vector<u32>& golden_drafts, std::size_t block) {
    const Result<DraftBlock> draft = forward_.draft(state_, anchor);
    ASSERT_TRUE(draft) << draft.error().message;
    for (std::size_t i = 0; i < draft->ids.size(); ++i) {
      errors_.drafts += draft->ids[i] == golden_drafts[block * draft->ids.size() + i] ? 1 : 0;
      ++errors_.guesses;
    }
  }

  void add_distribution(u64 position, std::span<const float> logits, double log_sum) {
    const std::span<const u32> ids = std::span(top_ids_).subspan(position * kTop, kTop);
    const std::span<const float> values = std::span(top_logits_).subspan(position * kTop, kTop);
    double kl = 0;
    double rest = 1;
    double our_rest = 1;
    for (std::size_t i = 0; i < kTop; ++i) {
      const double log_p = double{values[i]} - log_sums_[position];
      const double log_q = logits[ids[i]] - log_sum;
      kl += std::exp(log_p) * (log_p - log_q);
      rest -= std::exp(log_p);
      our_rest -= std::exp(log_q);
    }
    if (rest > 1e-6) kl += rest * std::log(rest / std::max(our_rest, 1e-9));  // less is rounding of the golden's F32
    errors_.mean_kl += kl;
    errors_.max_kl = std::max(errors_.max_kl, kl);
    const bool equal = best_ == ids[0];
    errors_.top1 += equal ? 1 : 0;
    if (values[0] - values[1] <= 0.5f) return;
    ++errors_.confident_positions;
    errors_.confident_top1 += equal ? 1 : 0;
  }

  static constexpr std::size_t kTop = 20;

  Forward forward_;
  State state_;
  Golden golden_;
  std::vector<u32> tokens_;
  std::vector<u32> top_ids_ = golden_.ids("top20_ids");
  std::vector<float> top_logits_ = golden_.floats("top20_logits");
  std::vector<float> log_sums_ = golden_.floats("logsumexp");
  std::vector<float> golden_nlls_ = golden_.floats("nll");
  u64 limit_ = 0;
  u32 best_ = 0;  // the argmax of the newest logits
  double nll_ = 0;
  double golden_nll_ = 0;
  GoldenErrors errors_;
};

}  // namespace bolide::model
