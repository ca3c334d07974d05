#include "engine/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "support/engine.h"

namespace bolide::engine {
namespace {

using testing::HasSubstr;

class TimelineTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<OpenModel>> open = open_model(test::kNanoFolder, ArithmeticKind::kA1);
    ASSERT_TRUE(open.ok()) << open.error().message;
    open_ = std::move(*open);
    ids_ = test::golden_prompt("tool_call");
    ids_.resize(140);  // past the window
  }

  Sha256Digest cold_hash(u64 n) {
    Timeline timeline(*open_);
    EXPECT_TRUE(timeline.feed(std::span(ids_).first(n), std::span<float>()).ok());
    return hash(timeline);
  }
  static Sha256Digest hash(const Timeline& timeline) { return timeline.forward().state_hash(timeline.state()); }

  std::unique_ptr<OpenModel> open_;
  std::vector<u32> ids_;
};

TEST_F(TimelineTest, AfterSeekingBackTheStateIsThatOfAColdRun) {
  Timeline timeline(*open_);
  ASSERT_TRUE(timeline.feed(ids_, std::span<float>()).ok());
  for (const u64 wanted : {131u, 37u, 1u}) {
    std::vector<u32> other(ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(wanted));
    other.push_back(7);
    other.push_back(9);
    const u64 known = timeline.seek(other);
    EXPECT_LE(known, wanted);
    EXPECT_GE(known + 1, wanted);  // the largest even position at or below
    EXPECT_EQ(hash(timeline), cold_hash(known));
    ASSERT_TRUE(timeline.feed(std::span<const u32>(ids_).subspan(known), std::span<float>()).ok());
    EXPECT_EQ(hash(timeline), cold_hash(ids_.size()));
  }
}

TEST_F(TimelineTest, APromptThatGoesOnIsFedOnWithoutSeekingBackAlsoFromAnOddPosition) {
  Timeline timeline(*open_);
  ASSERT_TRUE(timeline.feed(std::span<const u32>(ids_).first(101), std::span<float>()).ok());
  EXPECT_EQ(timeline.seek(ids_), 101u);
  ASSERT_TRUE(timeline.feed(std::span<const u32>(ids_).subspan(101), std::span<float>()).ok());
  EXPECT_EQ(hash(timeline), cold_hash(ids_.size()));
}

TEST_F(TimelineTest, TheSamePromptAgainFeedsItsLastTokensAgain) {
  Timeline timeline(*open_);
  std::vector<float> first(8192), again(8192);
  ASSERT_TRUE(timeline.feed(ids_, first).ok());
  const u64 known = timeline.seek(ids_);
  EXPECT_LT(known, ids_.size());
  ASSERT_TRUE(timeline.feed(std::span<const u32>(ids_).subspan(known), again).ok());
  EXPECT_EQ(first, again);
}

// arithmetic.md rule 0: a non-finite value fails the request with a reason; the state before it stays good.
TEST_F(TimelineTest, AValueThatIsNotFiniteFailsTheStepByNameAndLeavesAGoodState) {
  Timeline timeline(*open_);
  ASSERT_TRUE(timeline.feed(std::span<const u32>(ids_).first(50), std::span<float>()).ok());
  float& weight = open_->model.weights.layers[3].attention_norm[17];
  const float good = weight;
  for (const float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    weight = bad;
    const Status status = timeline.feed(std::span<const u32>(ids_).subspan(50, 20), std::span<float>());
    ASSERT_FALSE(status.ok());
    EXPECT_THAT(status.error().message, testing::AllOf(HasSubstr("position 50"), HasSubstr("attention3")));
    weight = good;
    EXPECT_EQ(hash(timeline), cold_hash(50));
  }
  ASSERT_TRUE(timeline.feed(std::span<const u32>(ids_).subspan(50), std::span<float>()).ok());
  EXPECT_EQ(hash(timeline), cold_hash(ids_.size()));
}

TEST_F(TimelineTest, FaultsThatFp4CodesWouldHideAreSeen) {
  Timeline timeline(*open_);
  float& weight = open_->model.weights.layers[4].compressor->index_key_norm[3];
  weight = std::numeric_limits<float>::infinity();
  const Status status = timeline.feed(ids_, std::span<float>());
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("index key of layer 4"));
}

// pitfalls B45: an I/O fault is an error on that request.
class FailingRows : public engram::RowReader {
 public:
  FailingRows() : RowReader(64) {}
  Status read(u32, std::span<const u64>, std::span<std::byte>) const override {
    return Error{"rows.engram: cannot read row 7"};
  }
};

TEST_F(TimelineTest, AFailingEngramReadFailsTheStepWithItsReason) {
  open_->model.engram_rows = std::make_shared<FailingRows>();
  Timeline timeline(*open_);
  const Status status = timeline.feed(ids_, std::span<float>());
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("cannot read row 7"));
  EXPECT_EQ(timeline.position(), 0u);
}

}  // namespace
}  // namespace bolide::engine
