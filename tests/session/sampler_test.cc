#include "session/sampler.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>

namespace bolide::session {
namespace {

const std::vector<float> kLogits = {1.0f, 3.0f, 2.0f, 3.0f, -5.0f};

std::map<u32, u32> frequencies(const std::vector<float>& logits, Sampling sampling, u32 n) {
  std::map<u32, u32> counts;
  for (u64 position = 0; position < n; ++position) ++counts[sample(logits, sampling, position)];
  return counts;
}

TEST(Sampler, GreedyTakesTheLargestLogitAndTheLowerIdOfTwo) {
  EXPECT_EQ(sample(kLogits, {.temperature = 0}, 7), 1u);
}

TEST(Sampler, OnlyWhatTheMaskAllowsComes) {
  const std::vector<u64> allowed = {0b10101};
  EXPECT_EQ(sample(kLogits, {.temperature = 0}, 7, allowed), 2u);
  for (const Sampling& sampling : {Sampling{.temperature = 100, .seed = 1}, Sampling{.temperature = 100, .top_k = 2},
                                   Sampling{.temperature = 100, .top_p = 0.99f}}) {
    std::map<u32, u32> counts;
    for (u64 position = 0; position < 300; ++position) ++counts[sample(kLogits, sampling, position, allowed)];
    EXPECT_GE(counts.size(), 2u);
    for (const auto& [id, count] : counts) EXPECT_TRUE(id % 2 == 0) << id;
  }
}

// Where the free choice is allowed, a mask changes nothing: the noise is the token's own.
TEST(Sampler, AMaskThatAllowsTheChoiceDoesNotChangeIt) {
  for (u64 position = 0; position < 100; ++position) {
    const Sampling sampling{.temperature = 2, .seed = 9};
    const u32 free = sample(kLogits, sampling, position);
    const std::vector<u64> allowed = {u64{1} << free | 0b00101};
    EXPECT_EQ(sample(kLogits, sampling, position, allowed), free);
  }
}

TEST(Sampler, TheChoiceDependsOnSeedAndPositionOnly) {
  const Sampling sampling{.temperature = 1, .seed = 42};
  std::map<u64, u32> first;
  for (u64 position = 0; position < 50; ++position) first[position] = sample(kLogits, sampling, position);
  for (u64 position = 50; position-- > 0;) EXPECT_EQ(sample(kLogits, sampling, position), first[position]);
  bool differs = false;
  for (u64 position = 0; position < 50; ++position) {
    differs |= sample(kLogits, {.temperature = 1, .seed = 43}, position) != first[position];
  }
  EXPECT_TRUE(differs);
}

// Gumbel noise and argmax draw from the softmax: frequencies within five standard deviations.
TEST(Sampler, FrequenciesAreTheSoftmaxAtTheTemperature) {
  constexpr u32 kDraws = 20000;
  for (const float temperature : {0.5f, 1.0f, 2.0f}) {
    const auto counts = frequencies(kLogits, {.temperature = temperature, .seed = 1}, kDraws);
    double total = 0;
    for (const float logit : kLogits) total += std::exp(logit / temperature);
    for (u32 id = 0; id < kLogits.size(); ++id) {
      const double p = std::exp(kLogits[id] / temperature) / total;
      const double found = counts.contains(id) ? counts.at(id) : 0;
      EXPECT_NEAR(found, kDraws * p, 5 * std::sqrt(kDraws * p * (1 - p)) + 1) << "id " << id << " at " << temperature;
    }
  }
}

TEST(Sampler, TopKKeepsTheBestAndTheLowerIdAmongEquals) {
  const auto counts = frequencies(kLogits, {.temperature = 100, .top_k = 1, .seed = 3}, 200);
  EXPECT_EQ(counts.size(), 1u);
  EXPECT_TRUE(counts.contains(1));
  EXPECT_EQ(frequencies(kLogits, {.temperature = 100, .top_k = 3, .seed = 3}, 500).size(), 3u);
}

TEST(Sampler, TopPKeepsUpToAndIncludingTheFirstSumThatReachesIt) {
  // Probabilities 0.5, 0.25, 0.25 in logits of base 2.
  const float ln2 = std::log(2.0f);
  const std::vector<float> logits = {0.0f, ln2, 0.0f};
  EXPECT_EQ(frequencies(logits, {.temperature = 1, .top_p = 0.4f, .seed = 5}, 300).size(), 1u);
  EXPECT_EQ(frequencies(logits, {.temperature = 1, .top_p = 0.6f, .seed = 5}, 300).size(), 2u);
  EXPECT_EQ(frequencies(logits, {.temperature = 1, .top_p = 0.9f, .seed = 5}, 300).size(), 3u);
}

TEST(Sampler, MinPDropsWhatIsFarBelowTheBest) {
  const auto counts = frequencies(kLogits, {.temperature = 1, .min_p = 0.5f, .seed = 9}, 500);
  EXPECT_EQ(counts.size(), 2u);
  EXPECT_TRUE(counts.contains(1) && counts.contains(3));
}

TEST(Sampler, ParametersOutOfRangeAreRefusedByName) {
  EXPECT_FALSE(check_sampling({.temperature = -0.1f}).ok());
  EXPECT_FALSE(check_sampling({.temperature = std::nanf("")}).ok());
  EXPECT_FALSE(check_sampling({.top_p = 0.0f}).ok());
  EXPECT_FALSE(check_sampling({.min_p = 1.5f}).ok());
  EXPECT_NE(check_sampling({.top_p = 2.0f}).error().message.find("top-p"), std::string::npos);
  EXPECT_TRUE(check_sampling({}).ok());
}

}  // namespace
}  // namespace bolide::session
