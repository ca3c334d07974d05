#include "engine/synth_goldens.h"

namespace bolide::engine {
namespace {

class SynthGoldens : public testing::TestWithParam<Fixture> {};

TEST_P(SynthGoldens, After8TokensEveryBitIsEqual) {
  expect_golden(GetParam(), 8, 8, false);
}

TEST_P(SynthGoldens, After8TokensFlushingAndFeedingOneByOneChangeNoBit) {
  expect_golden(GetParam(), 8, 1, true);
}

INSTANTIATE_TEST_SUITE_P(Fixtures, SynthGoldens, testing::ValuesIn(synth_fixtures()), test_name);

}  // namespace
}  // namespace bolide::engine
