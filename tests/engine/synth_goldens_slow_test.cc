#include "engine/synth_goldens.h"

namespace bolide::engine {
namespace {

class SynthGoldens : public testing::TestWithParam<Fixture> {};

TEST_P(SynthGoldens, After300TokensEveryBitIsEqual) {
  expect_golden(GetParam(), 300, 300, false);
}

TEST_P(SynthGoldens, After300TokensFlushingAndAnotherChunkSizeChangeNoBit) {
  expect_golden(GetParam(), 300, 37, true);
}

INSTANTIATE_TEST_SUITE_P(Fixtures, SynthGoldens, testing::ValuesIn(synth_fixtures()), test_name);

}  // namespace
}  // namespace bolide::engine
