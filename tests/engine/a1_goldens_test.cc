// The oracle against an independent program, bit for bit (tests/goldens/nano/a1-*.json; models/nano/README.md says how
// they were made).
#include <bit>
#include <charconv>
#include <gtest/gtest.h>

#include "base/flush_mode.h"
#include "engine/timeline.h"
#include "support/engine.h"
#include "support/sanitized.h"

namespace bolide::engine {
namespace {

using boost::json::object;

std::string text_of(const object& golden, const char* key) {
  return std::string(golden.at(key).as_string());
}

void expect_draft(const DraftFingerprint& found, const object& golden) {
  EXPECT_EQ(found.ids, test::ids_of(golden.at("draft")));
  EXPECT_EQ(to_hex(found.logits), text_of(golden, "draft_logits"));
  EXPECT_EQ(to_hex(found.state), text_of(golden, "draft_state"));
  EXPECT_EQ(to_hex(found.taps), text_of(golden, "taps"));
  std::vector<std::string> confidence;
  for (const u32 bits : found.confidence_bits) {
    char text[9];
    std::snprintf(text, sizeof text, "%08x", bits);
    confidence.emplace_back(text);
  }
  std::vector<std::string> wanted;
  for (const auto& value : golden.at("draft_confidence").as_array()) wanted.emplace_back(value.as_string());
  EXPECT_EQ(confidence, wanted);
}

// Streams first: the earliest difference says where an error arises.
void expect_equal(const Fingerprint& found, const object& golden) {
  SCOPED_TRACE("after " + std::to_string(found.tokens) + " tokens");
  const object& streams = golden.at("streams_of_last_position").as_object();
  ASSERT_EQ(found.streams.size(), streams.size());
  std::size_t i = 0;
  for (const auto& [sub_block, hash] : streams) {
    ASSERT_EQ(found.streams[i].first, std::string(sub_block));
    ASSERT_EQ(to_hex(found.streams[i].second), std::string(hash.as_string()))
        << "the first difference is in " << sub_block;
    ++i;
  }
  EXPECT_EQ(to_hex(found.logits), text_of(golden, "logits"));
  EXPECT_EQ(to_hex(found.state), text_of(golden, "state"));
  EXPECT_EQ(found.argmax, golden.at("argmax").as_int64());
  ASSERT_TRUE(found.draft.has_value());
  expect_draft(*found.draft, golden);
}

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
