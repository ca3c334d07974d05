// Every kernel of matvec_f gives the bits of the oracle.
#include "backends/cpu/matvec_f.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <string>

#include "arith/bf16.h"
#include "backends/cpu/bits.h"
#include "base/flush_mode.h"
#include "model/oracle/mechanisms.h"

namespace bolide::backends::cpu {
namespace {

// Values of any size that activations and weights may have, zeros of both signs among them.
float random_value(std::mt19937& random, bool bf16) {
  std::normal_distribution<float> normal;
  const u32 kind = random() % 64;
  if (kind == 0) return 0.0f;
  if (kind == 1) return -0.0f;
  const float value = normal(random) * (kind == 2 ? 0x1p39f : kind == 3 ? 0x1p-38f : 1.0f);
  return bf16 ? arith::bf16(value) : arith::flush_tiny(value);
}

model::FloatMatrix random_matrix(u32 rows, u32 k, bool bf16, std::mt19937& random) {
  model::FloatMatrix w{rows, k, std::vector<float>(u64{rows} * k)};
  for (float& value : w.values) value = random_value(random, bf16);
  return w;
}

std::vector<float> random_rows(u32 n, u32 k, std::mt19937& random) {
  std::vector<float> x(u64{n} * k);
  for (float& value : x) value = random_value(random, true);
  return x;
}

std::vector<float> oracle_product(const model::FloatMatrix& w, std::span<const float> x) {
  std::vector<float> y;
  for (std::size_t first = 0; first < x.size(); first += w.k) {
    for (u32 row = 0; row < w.rows; ++row) y.push_back(model::oracle::float_dot(w.row(row), x.subspan(first, w.k)));
  }
  return y;
}

// In two ranges of panels, as two threads would.
std::vector<float> by_panels(InstructionSet set, const FloatPanels& w, std::span<const float> x) {
  std::vector<float> y(x.size() / w.k() * w.rows());
  const u32 half = w.panels() / 2;
  matvec_f(set).panels(w, {0, half}, x, y.data(), w.rows());
  matvec_f(set).panels(w, {half, w.panels()}, x, y.data(), w.rows());
  return y;
}

std::vector<float> by_segments(InstructionSet set, const FloatPanels& w, std::span<const float> x) {
  std::vector<float> sums(x.size() / w.k() * segment_parts(w) * FloatPanels::kRows);
  const u32 third = segment_parts(w) / 3;
  matvec_f(set).segments(w, {0, third}, x, sums.data());
  matvec_f(set).segments(w, {third, segment_parts(w)}, x, sums.data());
  std::vector<float> y(x.size() / w.k() * w.rows());
  fold_segments(w, sums, y.data(), w.rows());
  return y;
}

class MatvecFTest : public testing::TestWithParam<std::tuple<InstructionSet, bool>> {};

TEST_P(MatvecFTest, EveryShapeAndNumberOfRowsGivesTheBitsOfTheOracle) {
  const auto [set, bf16] = GetParam();
  std::mt19937 random(11);
  // Columns: one block in all, empty segments, segments of unequal length, 64 segments. Rows: panels of every height.
  for (const u32 k : {32u, 512u, 1120u, 8224u}) {
    for (const u32 rows : {1u, 24u, 40u, 80u}) {
      const model::FloatMatrix matrix = random_matrix(rows, k, bf16, random);
      const FloatPanels w(matrix);
      ASSERT_EQ(w.is_bf16(), bf16);
      for (const u32 n : {1u, 3u, 8u}) {
        const std::vector<float> x = random_rows(n, k, random);
        const std::vector<u32> expected = bits(oracle_product(matrix, x));
        ASSERT_EQ(bits(by_panels(set, w, x)), expected) << rows << " x " << k << ", " << n << " rows";
        ASSERT_EQ(bits(by_segments(set, w, x)), expected) << rows << " x " << k << ", " << n << " rows";
        const FlushMode flush(true);
        ASSERT_EQ(bits(by_panels(set, w, x)), expected) << rows << " x " << k << ", " << n << " rows, flushing";
      }
    }
  }
}

TEST_P(MatvecFTest, ManyRowsGiveWhatEachGivesAlone) {
  const auto [set, bf16] = GetParam();
  std::mt19937 random(12);
  const model::FloatMatrix matrix = random_matrix(33, 96, bf16, random);
  const std::vector<float> x = random_rows(131, 96, random);
  EXPECT_EQ(bits(by_panels(set, FloatPanels(matrix), x)), bits(oracle_product(matrix, x)));
}

TEST_P(MatvecFTest, AFaultInARowReachesItsResultsAndNoOthers) {
  const auto [set, bf16] = GetParam();
  std::mt19937 random(13);
  const model::FloatMatrix matrix = random_matrix(24, 544, bf16, random);
  std::vector<float> x = random_rows(2, 544, random);
  x[543] = HUGE_VALF;
  EXPECT_EQ(bits(by_panels(set, FloatPanels(matrix), x)), bits(oracle_product(matrix, x)));
}

std::string test_name(const testing::TestParamInfo<MatvecFTest::ParamType>& info) {
  return std::string(name(std::get<0>(info.param))) + (std::get<1>(info.param) ? "_bf16" : "_f32");
}

INSTANTIATE_TEST_SUITE_P(Sets, MatvecFTest,
                         testing::Combine(testing::ValuesIn(present_instruction_sets()), testing::Bool()), test_name);

}  // namespace
}  // namespace bolide::backends::cpu
