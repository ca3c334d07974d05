#include "app/comparison.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

namespace bolide::app {
namespace {

TEST(Comparison, DivergenceOfTwoCoins) {
  // p = (3/4, 1/4), q = (1/2, 1/2), as logits with any offset.
  const std::array<float, 2> p = {std::log(3.0f), 0.0f};
  const std::array<float, 2> q = {100.0f, 100.0f};
  const double p_q = 0.75 * std::log(0.75 / 0.5) + 0.25 * std::log(0.25 / 0.5);
  const double q_p = 0.5 * std::log(0.5 / 0.75) + 0.5 * std::log(0.5 / 0.25);
  EXPECT_NEAR(divergence(p, q), p_q, 1e-7);
  EXPECT_NEAR(divergence(q, p), q_p, 1e-7);
  EXPECT_EQ(divergence(p, p), 0.0);
}

TEST(Comparison, LargeLogitsDoNotOverflow) {
  const std::array<float, 3> logits = {3e38f, 3e38f, -3e38f};
  EXPECT_DOUBLE_EQ(log_sum_exp(logits), static_cast<double>(3e38f) + std::log(2.0));
  EXPECT_EQ(divergence(logits, logits), 0.0);
}

TEST(Comparison, PerplexityOfAUniformGuessIsTheVocabulary) {
  Perplexity perplexity;
  const std::array<float, 4> uniform = {1, 1, 1, 1};
  perplexity.add(uniform, 0);
  perplexity.add(uniform, 3);
  EXPECT_EQ(perplexity.predictions(), 2u);
  EXPECT_NEAR(perplexity.mean_nll(), std::log(4.0), 1e-12);
  EXPECT_NEAR(perplexity.perplexity(), 4.0, 1e-12);
}

TEST(Comparison, AgreementIsCountedApartWhereTheFirstIsClear) {
  Comparison comparison;
  const std::array<float, 3> clear = {2.0f, 1.0f, 0.0f};
  const std::array<float, 3> close = {2.0f, 1.75f, 0.0f};
  const std::array<float, 3> other = {1.0f, 2.0f, 0.0f};
  comparison.add(10, clear, clear);
  comparison.add(11, clear, other);
  comparison.add(12, close, other);
  comparison.add(13, close, clear);
  EXPECT_EQ(comparison.positions(), 4u);
  EXPECT_EQ(comparison.agreeing(), 2u);
  EXPECT_EQ(comparison.clear(), 2u);
  EXPECT_EQ(comparison.clear_agreeing(), 1u);
}

TEST(Comparison, TheWorstPositionIsRemembered) {
  Comparison comparison;
  const std::array<float, 2> a = {0.0f, 0.0f};
  const std::array<float, 2> near = {0.1f, 0.0f};
  const std::array<float, 2> far = {5.0f, 0.0f};
  comparison.add(0, a, near);
  comparison.add(1, a, far);
  comparison.add(2, a, a);
  EXPECT_EQ(comparison.max_kl_position(), 1u);
  EXPECT_DOUBLE_EQ(comparison.max_kl(), divergence(a, far));
  EXPECT_DOUBLE_EQ(comparison.mean_kl(), (divergence(a, near) + divergence(a, far)) / 3);
}

}  // namespace
}  // namespace bolide::app
