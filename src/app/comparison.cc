#include "app/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bolide::app {
namespace {

struct BestTwo {
  std::size_t best;  // the lowest of equal ones
  float margin;      // to the second
};

BestTwo best_two(std::span<const float> logits) {
  const auto best = static_cast<std::size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
  float second = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (i != best) second = std::max(second, logits[i]);
  }
  return {best, logits[best] - second};
}

double ratio(double sum, u64 n) {
  return n == 0 ? 0 : sum / static_cast<double>(n);
}

}  // namespace

double log_sum_exp(std::span<const float> logits) {
  const double max = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - max);
  return max + std::log(sum);
}

double divergence(std::span<const float> p_logits, std::span<const float> q_logits) {
  const double p_log_sum = log_sum_exp(p_logits), q_log_sum = log_sum_exp(q_logits);
  double sum = 0;
  for (std::size_t i = 0; i < p_logits.size(); ++i) {
    const double log_p = p_logits[i] - p_log_sum, log_q = q_logits[i] - q_log_sum;
    sum += std::exp(log_p) * (log_p - log_q);
  }
  // It is never negative but for rounding.
  return std::max(sum, 0.0);
}

void Perplexity::add(std::span<const float> logits, u32 next) {
  sum_ += log_sum_exp(logits) - static_cast<double>(logits[next]);
  ++predictions_;
}

double Perplexity::mean_nll() const {
  return ratio(sum_, predictions_);
}

double Perplexity::perplexity() const {
  return std::exp(mean_nll());
}

void Comparison::add(u64 position, std::span<const float> first, std::span<const float> second) {
  const double kl = divergence(first, second);
  kl_sum_ += kl;
  if (positions_ == 0 || kl > max_kl_) {
    max_kl_ = kl;
    max_kl_position_ = position;
  }
  ++positions_;
  const BestTwo best = best_two(first);
  const bool agrees = best.best == best_two(second).best;
  agreeing_ += agrees ? 1 : 0;
  if (best.margin <= kClearMargin) return;
  ++clear_;
  clear_agreeing_ += agrees ? 1 : 0;
}

double Comparison::mean_kl() const {
  return ratio(kl_sum_, positions_);
}

}  // namespace bolide::app
