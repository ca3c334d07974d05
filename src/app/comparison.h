// How well logits predict a text, and how far two computations of them differ. All sums are binary64, by position.
#pragma once
#include <span>

#include "base/types.h"

namespace bolide::app {

// A margin (best minus second logit) above this is a clear decision; with a smaller one, two correct programs may
// differ.
constexpr float kClearMargin = 0.5f;

// ln sum exp(logits), without overflow.
double log_sum_exp(std::span<const float> logits);

// KL(p || q) in nats of the softmax distributions, summed over the whole vocabulary; the spans have the same length.
double divergence(std::span<const float> p_logits, std::span<const float> q_logits);

// The negative log likelihood of a text.
class Perplexity {
 public:
  // `next`: the token that stands after the position of these logits.
  void add(std::span<const float> logits, u32 next);

  u64 predictions() const { return predictions_; }
  double mean_nll() const;  // nats a token
  double perplexity() const;

 private:
  u64 predictions_ = 0;
  double sum_ = 0;
};

// KL(first || second) and agreement of the likeliest token.
class Comparison {
 public:
  void add(u64 position, std::span<const float> first, std::span<const float> second);

  u64 positions() const { return positions_; }
  double mean_kl() const;
  double max_kl() const { return max_kl_; }
  u64 max_kl_position() const { return max_kl_position_; }
  u64 agreeing() const { return agreeing_; }
  // Positions at which the first has a clear margin, and those of them with the same likeliest token.
  u64 clear() const { return clear_; }
  u64 clear_agreeing() const { return clear_agreeing_; }

 private:
  u64 positions_ = 0;
  double kl_sum_ = 0;
  double max_kl_ = 0;
  u64 max_kl_position_ = 0;
  u64 agreeing_ = 0;
  u64 clear_ = 0;
  u64 clear_agreeing_ = 0;
};

}  // namespace bolide::app
