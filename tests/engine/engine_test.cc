#include "engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/selection.h"
#include "support/engine.h"

namespace bolide::engine {
namespace {

using testing::HasSubstr;

Request greedy(std::vector<u32> prompt, u64 max_tokens) {
  return {.prompt = std::move(prompt), .max_tokens = max_tokens, .sampling = {.temperature = 0}, .end_tokens = {}};
}

// The tokens of one request on this engine.
std::vector<u32> generate(Engine& engine, Request request, Outcome* outcome = nullptr) {
  const auto sink = std::make_shared<test::CollectingSink>();
  Result<RequestId> id = engine.submit(std::move(request), sink);
  EXPECT_TRUE(id.ok()) << id.error().message;
  const Outcome end = sink->wait();
  if (outcome != nullptr) *outcome = end;
  return sink->tokens();
}

class EngineTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(engine_, nullptr);
    prompt_.resize(40);  // long enough to have selections, short enough for sanitizers
  }
  std::unique_ptr<Engine> engine_ = test::open_nano();
  std::vector<u32> prompt_ = test::golden_prompt("tool_call");
};

TEST_F(EngineTest, GreedyTokensAreTheArgmaxOfEveryPosition) {
  std::vector<u32> ids = test::golden_prompt("short");
  const std::vector<u32> tokens = generate(*engine_, greedy(ids, 5));
  ASSERT_EQ(tokens.size(), 5u);
  for (const u32 token : tokens) {
    u32 argmax = 0;
    const Status status = engine_->evaluate(ids, ids.size() - 1, [&](u64, std::span<const float> logits) {
      argmax = model::argmax(logits);
      return true;
    });
    ASSERT_TRUE(status.ok());
    EXPECT_EQ(token, argmax);
    ids.push_back(token);
  }
}

TEST_F(EngineTest, AKnownPrefixIsNotComputedAgainAndChangesNoToken) {
  const std::vector<u32> cold = generate(*engine_, greedy(prompt_, 12));
  std::vector<u32> longer = prompt_;
  longer.insert(longer.end(), cold.begin(), cold.begin() + 7);
  Outcome outcome;
  const std::vector<u32> warm = generate(*engine_, greedy(longer, 5), &outcome);
  EXPECT_EQ(warm, std::vector<u32>(cold.begin() + 7, cold.end()));
  EXPECT_GE(outcome.statistics.reused_tokens + 2, longer.size());
  EXPECT_EQ(outcome.statistics.prompt_tokens, longer.size());
}

TEST_F(EngineTest, ADifferentPromptAfterwardsGivesWhatItGivesCold) {
  generate(*engine_, greedy(prompt_, 3));
  std::vector<u32> other(prompt_.begin(), prompt_.begin() + 31);
  other.back() = 5;
  const std::vector<u32> after = generate(*engine_, greedy(other, 6));
  EXPECT_EQ(after, generate(*test::open_nano(), greedy(other, 6)));
}

TEST_F(EngineTest, TheEndTokenEndsTheAnswerAndBelongsToIt) {
  const std::vector<u32> tokens = generate(*engine_, greedy(prompt_, 6));
  Request request = greedy(prompt_, 6);
  request.end_tokens = {tokens[3]};
  Outcome outcome;
  const std::vector<u32> ended = generate(*engine_, std::move(request), &outcome);
  EXPECT_EQ(outcome.reason, FinishReason::kEnd);
  const auto first = std::find(tokens.begin(), tokens.end(), tokens[3]);
  EXPECT_EQ(ended, std::vector<u32>(tokens.begin(), first + 1));
}

// Allows a single id at every second token.
class EverySecond : public text::TokenConstraint {
 public:
  explicit EverySecond(u32 id) : id_(id) {}
  bool restricts() const override { return seen_ % 2 == 1; }
  void exclude(std::span<u64> allowed) const override {
    for (u32 word = 0; word < allowed.size(); ++word) allowed[word] &= word == id_ / 64 ? u64{1} << id_ % 64 : 0;
  }
  void accept(u32) override { ++seen_; }
  std::unique_ptr<TokenConstraint> clone() const override { return std::make_unique<EverySecond>(*this); }

 private:
  u32 id_;
  u64 seen_ = 0;
};

TEST_F(EngineTest, AConstraintRestrictsTheTokensItSaysAndTheAnswerGoesOnFromThem) {
  const u32 forced = engine_->config().vocab_size - 1;
  Request request = greedy(prompt_, 4);
  request.constraints.push_back(std::make_unique<EverySecond>(forced));
  const std::vector<u32> tokens = generate(*engine_, std::move(request));
  ASSERT_EQ(tokens.size(), 4u);
  EXPECT_EQ(tokens[1], forced);
  EXPECT_EQ(tokens[3], forced);
  // Unrestricted tokens are what the model says after the forced one.
  std::vector<u32> longer = prompt_;
  longer.insert(longer.end(), tokens.begin(), tokens.begin() + 2);
  EXPECT_EQ(generate(*engine_, greedy(longer, 1)), std::vector<u32>{tokens[2]});
}

TEST_F(EngineTest, CancelStopsDuringDecodeAndTheNextRequestWorks) {
  const auto sink = std::make_shared<test::CollectingSink>();
  Result<RequestId> id = engine_->submit(greedy(prompt_, 100000), sink);
  ASSERT_TRUE(id.ok());
  sink->wait_for_tokens(3);
  engine_->cancel(*id);
  EXPECT_EQ(sink->wait().reason, FinishReason::kCancelled);
  EXPECT_EQ(generate(*engine_, greedy(prompt_, 2)).size(), 2u);
}

TEST_F(EngineTest, CancelOfAWaitingRequestEndsItWithoutATokenAfterwards) {
  const auto running = std::make_shared<test::CollectingSink>();
  const auto waiting = std::make_shared<test::CollectingSink>();
  Result<RequestId> first = engine_->submit(greedy(prompt_, 100000), running);
  Result<RequestId> second = engine_->submit(greedy(prompt_, 5), waiting);
  ASSERT_TRUE(first.ok() && second.ok());
  engine_->cancel(*second);
  engine_->cancel(*first);
  EXPECT_EQ(waiting->wait().reason, FinishReason::kCancelled);
  EXPECT_TRUE(waiting->tokens().empty());
}

TEST_F(EngineTest, ClosingTheEngineEndsARunningRequest) {
  const auto sink = std::make_shared<test::CollectingSink>();
  ASSERT_TRUE(engine_->submit(greedy(prompt_, 100000), sink).ok());
  sink->wait_for_tokens(1);
  engine_.reset();
  EXPECT_EQ(sink->wait().reason, FinishReason::kCancelled);
}

TEST_F(EngineTest, RefusesWhatItCannotCompute) {
  const auto sink = std::make_shared<test::CollectingSink>();
  const Result<RequestId> empty = engine_->submit(greedy({}, 5), sink);
  ASSERT_FALSE(empty.ok());
  EXPECT_THAT(empty.error().message, HasSubstr("empty"));
  const Result<RequestId> unknown = engine_->submit(greedy({0, 8192}, 5), sink);
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().message, HasSubstr("8192"));
  Request hot = greedy({0}, 5);
  hot.sampling.temperature = -1;
  ASSERT_FALSE(engine_->submit(std::move(hot), sink).ok());
}

// pitfalls B34: never cut silently.
TEST(EngineContext, APromptThatDoesNotFitIsRefusedWithBothNumbersAndOneThatFitsRunsToTheEnd) {
  const auto engine = test::open_nano({.context = 100});
  ASSERT_NE(engine, nullptr);
  const auto sink = std::make_shared<test::CollectingSink>();
  const Result<RequestId> refused = engine->submit(greedy(std::vector<u32>(101, 5), 5), sink);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, testing::AllOf(HasSubstr("101"), HasSubstr("100")));
  Outcome outcome;
  EXPECT_EQ(generate(*engine, greedy(std::vector<u32>(97, 5), 50), &outcome).size(), 3u);
  EXPECT_EQ(outcome.reason, FinishReason::kLength);
  EXPECT_EQ(generate(*engine, greedy(std::vector<u32>(100, 5), 50), &outcome).size(), 0u);
  EXPECT_EQ(outcome.reason, FinishReason::kLength);
}

TEST(EngineContext, AContextBeyondTheModelIsRefused) {
  EngineOptions options{.model_path = test::kNanoFolder, .context = u64{1} << 40};
  EXPECT_FALSE(Engine::open(options).ok());
}

TEST(ModelFiles, RefusalsNameThePlaceAndWhatToDo) {
  const auto missing = open_model("/nowhere/at/all", ArithmeticKind::kA1);
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, HasSubstr("/nowhere/at/all"));
}

}  // namespace
}  // namespace bolide::engine
