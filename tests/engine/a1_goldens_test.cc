// The oracle against an independent program, bit for bit (tests/goldens/nano/a1-*.json; models/nano/README.md says how
// they were made).
#include <gtest/gtest.h>

#include "base/flush_mode.h"
#include "engine/timeline.h"
#include "support/engine.h"
#include "support/expect_fingerprint.h"
#include "support/sanitized.h"

namespace bolide::engine {
namespace {

using boost::json::object;
using test::expect_equal;

class A1Goldens : public testing::TestWithParam<const char*> {};

TEST_P(A1Goldens, EveryListedLengthIsEqualInEveryBit) {
  const std::string name = GetParam();
  const std::vector<u32> ids = test::golden_prompt(name);
  const boost::json::value goldens = test::read_json(test::kNanoGoldens + "a1-" + name + ".json");
  std::vector<u64> lengths;
  for (const auto& golden : goldens.as_array()) {
    const u64 tokens = static_cast<u64>(golden.at("tokens").as_int64());
    if (!test::kSanitized || tokens <= 130) lengths.push_back(tokens);
  }
  const auto engine = test::open_nano();
  ASSERT_NE(engine, nullptr);
  Result<std::vector<Fingerprint>> found = engine->fingerprints(ids, lengths, true);
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_EQ(found->size(), lengths.size());
  for (std::size_t i = 0; i < found->size(); ++i) expect_equal((*found)[i], goldens.as_array()[i].as_object());
}

INSTANTIATE_TEST_SUITE_P(Nano, A1Goldens, testing::Values("short", "tool_call", "code1500"),
                         [](const auto& test) { return std::string(test.param); });

class ChunkSizes : public testing::TestWithParam<u64> {};

TEST_P(ChunkSizes, ChangeNoBit) {
  const std::vector<u32> ids = test::golden_prompt("tool_call");
  const boost::json::value goldens = test::read_json(test::kNanoGoldens + "a1-tool_call.json");
  const auto& golden = goldens.as_array()[test::kSanitized ? 2 : 5].as_object();  // 128 or 300 tokens
  const auto engine = test::open_nano({.prefill_chunk = GetParam()});
  ASSERT_NE(engine, nullptr);
  const std::vector<u64> at = {static_cast<u64>(golden.at("tokens").as_int64())};
  Result<std::vector<Fingerprint>> found = engine->fingerprints(ids, at, true);
  ASSERT_TRUE(found.ok()) << found.error().message;
  expect_equal(found->front(), golden);
}

INSTANTIATE_TEST_SUITE_P(OneSevenWhole, ChunkSizes, testing::Values(1, 7, 100000));

TEST(A1, FlushingOfSubnormalsChangesNoBit) {
  Result<std::unique_ptr<OpenModel>> open = open_model(test::kNanoFolder, ArithmeticKind::kA1);
  ASSERT_TRUE(open.ok()) << open.error().message;
  const boost::json::value goldens = test::read_json(test::kNanoGoldens + "a1-short.json");
  const FlushMode flushing(true);
  Timeline timeline(**open);
  const std::vector<u32> ids = test::golden_prompt("short");
  Result<Fingerprint> found = advance_to(timeline, ids, 64, true);
  ASSERT_TRUE(found.ok()) << found.error().message;
  expect_equal(*found, goldens.as_array().back().as_object());
}

}  // namespace
}  // namespace bolide::engine
