// Every kernel of matvec_q gives the bits of the oracle.
#include "backends/cpu/matvec_q.h"

#include <cmath>
#include <gtest/gtest.h>
#include <memory>

#include "arith/quantizers.h"
#include "backends/cpu/bits.h"
#include "backends/cpu/random_matrix.h"
#include "model/oracle/mechanisms.h"

namespace bolide::backends::cpu {
namespace {

using model::MatrixType;

// Ordinary values, and in some blocks what an implementation may get wrong: zeros, -0, values too small to count, one
// outlier, a value that is not finite.
std::vector<float> activations(u32 rows, u32 k, std::mt19937& random) {
  std::normal_distribution<float> normal;
  std::vector<float> x(u64{rows} * k);
  for (std::size_t block = 0; block < x.size() / 32; ++block) {
    const u32 kind = random() % 40;
    for (std::size_t i = block * 32; i < block * 32 + 32; ++i) {
      x[i] = normal(random);
      if (kind == 0) x[i] = random() % 2 == 0 ? 0.0f : -0.0f;
      if (kind == 1) x[i] *= 0x1p-42f;
    }
    if (kind == 2) x[block * 32 + random() % 32] = -1e4f;
    if (kind == 3 && random() % 8 == 0) x[block * 32 + random() % 32] = HUGE_VALF;
  }
  return x;
}

std::vector<float> oracle_product(const model::Matrix& w, std::span<const float> x) {
  std::vector<float> y;
  for (std::size_t first = 0; first < x.size(); first += w.k) {
    std::vector<float> row(w.rows);
    model::oracle::product(w, 0, arith::quantize_activations(x.subspan(first, w.k)), row);
    y.insert(y.end(), row.begin(), row.end());
  }
  return y;
}

std::vector<float> kernel_product(InstructionSet set, const model::Matrix& w, std::span<const float> x) {
  ActivationRows rows;
  rows.quantize(x, w.k, w.type, set);
  std::vector<float> y(u64{rows.count()} * w.rows);
  auto workspace = std::make_unique<MatvecWorkspace>();
  // In two ranges of tiles, as two threads would.
  const u32 half = tile_count(w) / 2;
  matvec_q(set)(w, {0, half}, rows, *workspace, y.data(), w.rows);
  matvec_q(set)(w, {half, tile_count(w)}, rows, *workspace, y.data(), w.rows);
  return y;
}

class MatvecQTest : public testing::TestWithParam<std::tuple<InstructionSet, MatrixType>> {};

TEST_P(MatvecQTest, EveryShapeAndNumberOfRowsGivesTheBitsOfTheOracle) {
  const auto [set, type] = GetParam();
  std::mt19937 random(7);
  // Columns: one block in all, one a segment, segments of unequal length, runs longer than a segment's first part.
  for (const u32 k : {32u, 256u, 512u, 768u, 1536u, 32u * 16 * 19}) {
    if (type == MatrixType::kQ4K && k % 256 != 0) continue;
    for (const u32 rows : {1u, 33u, 96u}) {
      const OwnedMatrix w = random_matrix(type, rows, k, random);
      for (const u32 n : {1u, 2u, 3u, 5u, 8u}) {
        const std::vector<float> x = activations(n, k, random);
        ASSERT_EQ(bits(kernel_product(set, w.matrix, x)), bits(oracle_product(w.matrix, x)))
            << rows << " x " << k << ", " << n << " rows";
      }
    }
  }
}

TEST_P(MatvecQTest, ManyRowsGiveWhatEachGivesAlone) {
  const auto [set, type] = GetParam();
  std::mt19937 random(8);
  const OwnedMatrix w = random_matrix(type, 40, 512, random);
  const std::vector<float> x = activations(131, 512, random);
  EXPECT_EQ(bits(kernel_product(set, w.matrix, x)), bits(oracle_product(w.matrix, x)));
}

std::string test_name(const testing::TestParamInfo<MatvecQTest::ParamType>& info) {
  constexpr std::array<const char*, 6> kTypes = {"bf16", "fp8", "fp4", "q8_0", "mxfp4", "q4_k"};
  return std::string(name(std::get<0>(info.param))) + "_" + kTypes.at(static_cast<u32>(std::get<1>(info.param)));
}

INSTANTIATE_TEST_SUITE_P(Sets, MatvecQTest,
                         testing::Combine(testing::ValuesIn(present_instruction_sets()),
                                          testing::Values(MatrixType::kQ8_0, MatrixType::kMxfp4, MatrixType::kQ4K)),
                         test_name);

}  // namespace
}  // namespace bolide::backends::cpu
