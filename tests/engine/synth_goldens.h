// The committed A1 goldens of the synthetic fixtures (tests/goldens/synth): made by the oracle, token ids by
// synth_token_ids with seed 1.
#pragma once
#include <algorithm>

#include "base/flush_mode.h"
#include "engine/timeline.h"
#include "support/expect_fingerprint.h"
#include "support/sanitized.h"
#include "support/synth_engine.h"

namespace bolide::engine {

struct Fixture {
  const char* name;
  convert::SynthOptions options;
};

// For the names of tests, which have no dashes.
inline std::string test_name(const testing::TestParamInfo<Fixture>& test) {
  std::string name = test.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

inline std::vector<Fixture> synth_fixtures() {
  if (test::kSanitized) return {{"ci-mxfp4", {.shape = "ci"}}};
  return {{"ci-mxfp4", {.shape = "ci"}},
          {"ci-q4_k", {.shape = "ci", .experts_type = formats::WeightType::kQ4_K}},
          {"ci-wide-mxfp4", {.shape = "ci-wide"}}};
}

// Computes what the golden says of the state after `tokens` tokens, fed in chunks, and expects the same bits.
inline void expect_golden(const Fixture& fixture, u64 tokens, u64 chunk, bool flush) {
  const OpenModel open = test::open_synth(fixture.options);
  const std::string path = std::string(BOLIDE_SOURCE_DIR "/tests/goldens/synth/") + fixture.name + ".json";
  const boost::json::value goldens = test::read_json(path);
  const FlushMode mode(flush);
  Timeline timeline(open);
  const std::vector<u32> ids = convert::synth_token_ids(1, open.model.config, tokens);
  const Result<Fingerprint> found = advance_to(timeline, ids, chunk, true);
  ASSERT_TRUE(found.ok()) << found.error().message;
  for (const boost::json::value& golden : goldens.as_array()) {
    if (golden.at("tokens").as_int64() != static_cast<i64>(tokens)) continue;
    return test::expect_equal(*found, golden.as_object());
  }
  ADD_FAILURE() << path << " has nothing for " << tokens << " tokens";
}

}  // namespace bolide::engine
