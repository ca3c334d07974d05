#include <cmath>
#include <gtest/gtest.h>

#include "reference_config.h"

#include "model/reference/rope_frequencies.h"

namespace bolide::model {
namespace {

TEST(ReferenceRope, PlainFrequenciesAreTheSpecifications) {
  const auto f = rope_frequencies(10000);
  EXPECT_EQ(f[0], 1.0f);
  EXPECT_FLOAT_EQ(f[1], 0.749894202f);
  EXPECT_FLOAT_EQ(f[8], 0.100000001f);
  EXPECT_FLOAT_EQ(f[31], 0.00013335215f);
}

TEST(ReferenceRope, YarnFrequenciesAreTheSpecifications) {
  const auto f = yarn_frequencies(reference_config());
  EXPECT_FLOAT_EQ(f[1], 0.687656045f);
  EXPECT_FLOAT_EQ(f[15], 0.00363553851f);
  EXPECT_FLOAT_EQ(f[16], 0.00226562493f);
  EXPECT_FLOAT_EQ(f[20], 0.000296977785f);
  EXPECT_FLOAT_EQ(f[24], 1.95312532e-05f);
  EXPECT_FLOAT_EQ(f[25], 5.37231244e-06f);
  EXPECT_FLOAT_EQ(f[31], 5.6805294e-07f);
}

TEST(ReferenceRope, WithoutAnOriginalLengthThereIsNoYarn) {
  Config config = reference_config();
  config.original_length = 0;
  EXPECT_EQ(yarn_frequencies(config), rope_frequencies(160000));
}

TEST(ReferenceRope, RowsAreCosinesAndSinesOfPositionTimesFrequency) {
  const RopeRow row = reference().rope_row(RopeKind::kPlain, 100);
  EXPECT_FLOAT_EQ(row.cos[0], std::cos(100.0f));
  EXPECT_FLOAT_EQ(row.sin[0], std::sin(100.0f));
  EXPECT_NEAR(row.sin[8], std::sin(10.0), 1e-5);
  const RopeRow compressed = reference().rope_row(RopeKind::kCompressed, 100);
  EXPECT_NEAR(compressed.sin[1], std::sin(68.7656045), 1e-5);
}

}  // namespace
}  // namespace bolide::model
