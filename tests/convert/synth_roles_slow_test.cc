// The same at a long position; half a gigabyte of caches.
#include "base/sha256.h"
#include "convert/synth_reach.h"
#include "support/nano.h"

namespace bolide::convert {
namespace {

TEST(SynthRoles, FromPosition900000OnEveryRoleIsReachedAndFlushingChangesNoBit) {
  const auto model = synth_model_in_memory({.shape = "ci", .draft_experts = 0});
  ASSERT_TRUE(model) << model.error().message;
  constexpr u64 kStart = 900'000;
  const test::Reach reach = test::reach_of(*model, 1, kStart, 4, false);
  test::expect_all_roles(reach, model->config, kStart, 4);
  const auto golden = test::read_json(BOLIDE_SOURCE_DIR "/tests/goldens/synth/ci-mxfp4-from-900000.json");
  EXPECT_EQ(to_hex(reach.state), std::string(golden.as_object().at("state").as_string()));
  EXPECT_EQ(to_hex(sha256(std::as_bytes(std::span(reach.logits)))),
            std::string(golden.as_object().at("logits").as_string()));
  const test::Reach flushed = test::reach_of(*model, 1, kStart, 4, true);
  EXPECT_EQ(flushed.state, reach.state);
  EXPECT_EQ(flushed.logits, reach.logits);
}

}  // namespace
}  // namespace bolide::convert
