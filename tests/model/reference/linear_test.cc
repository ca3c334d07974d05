#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "reference_config.h"

#include "arith/e2m1.h"
#include "arith/e4m3.h"
#include "arith/e8m0.h"
#include "model/reference/activations.h"

namespace bolide::model {
namespace {

// A seeded quantized matrix with its bytes, and its values in binary64.
struct TestMatrix {
  Matrix matrix;
  std::vector<std::byte> codes;
  std::vector<std::byte> scales;
  std::vector<double> values;
};

std::byte random_scale(std::mt19937& bits) {
  return static_cast<std::byte>(120 + bits() % 8);
}

TestMatrix fp8_matrix(u32 rows, u32 k, u32 seed) {
  std::mt19937 bits(seed);
  TestMatrix m;
  const u32 groups = (k + 31) / 32;
  for (u32 i = 0; i < (rows + 31) / 32 * groups; ++i) m.scales.push_back(random_scale(bits));
  for (u32 row = 0; row < rows; ++row) {
    for (u32 column = 0; column < k; ++column) {
      u8 code = static_cast<u8>(bits());
      if (arith::e4m3_is_nan(code)) code = 0;
      m.codes.push_back(static_cast<std::byte>(code));
      const auto scale = static_cast<u8>(m.scales[row / 32 * groups + column / 32]);
      m.values.push_back(double{arith::e4m3_value(code)} * arith::e8m0_value(scale));
    }
  }
  m.matrix = {MatrixType::kFp8, rows, k, m.codes, m.scales};
  return m;
}

TestMatrix fp4_matrix(u32 rows, u32 k, u32 seed) {
  std::mt19937 bits(seed);
  TestMatrix m;
  for (u32 i = 0; i < rows * (k / 32); ++i) m.scales.push_back(random_scale(bits));
  for (u32 i = 0; i < rows * k / 2; ++i) m.codes.push_back(static_cast<std::byte>(bits()));
  for (u32 i = 0; i < rows * k; ++i) {
    const auto pair = static_cast<u8>(m.codes[i / 2]);
    const u8 code = i % 2 == 0 ? pair & 15 : pair >> 4;
    m.values.push_back(double{arith::e2m1_value(code)} * arith::e8m0_value(static_cast<u8>(m.scales[i / 32])));
  }
  m.matrix = {MatrixType::kFp4, rows, k, m.codes, m.scales};
  return m;
}

// The exact product and a bound of its rounding: binary32 sums, then bf16.
void expect_product(const TestMatrix& m, u32 first_row, const std::vector<double>& x, std::span<const float> y) {
  for (u32 i = 0; i < y.size(); ++i) {
    double sum = 0;
    double magnitudes = 0;
    for (u32 column = 0; column < m.matrix.k; ++column) {
      const double product = m.values[std::size_t{first_row + i} * m.matrix.k + column] * x[column];
      sum += product;
      magnitudes += std::fabs(product);
    }
    EXPECT_NEAR(y[i], sum, std::fabs(sum) * 0x1p-8 + magnitudes * 0x1p-20) << "row " << first_row + i;
  }
}

std::vector<double> quantized(std::span<const float> x) {
  const Activations a = quantize_activations_ref(x);
  std::vector<double> values(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) values[i] = double{a.codes[i]} * a.scales[i / 32];
  return values;
}

TEST(ReferenceActivations, GroupsGetTheScalesOfTheSpecification) {
  std::vector<float> x(96, 0.0f);
  x[5] = 448.0f;
  x[32] = -449.0f;
  const Activations a = quantize_activations_ref(x);
  EXPECT_EQ(a.scales, (std::vector<float>{1.0f, 2.0f, 0x1p-22f}));
  EXPECT_EQ(a.codes[5], 448.0f);
  EXPECT_EQ(a.codes[32], -224.0f);  // 224.5 rounds to the nearest E4M3
  EXPECT_EQ(a.codes[64], 0.0f);
}

TEST(ReferenceLinear, Fp8MatricesMultiplyQuantizedActivations) {
  const TestMatrix m = fp8_matrix(70, 96, 1);
  const std::vector<float> x = random_bf16(96, 2);
  std::vector<float> y(70);
  reference().linear(m.matrix, 0, x, y);
  expect_product(m, 0, quantized(x), y);
}

TEST(ReferenceLinear, Fp4MatricesMultiplyQuantizedActivations) {
  const TestMatrix m = fp4_matrix(33, 160, 3);
  const std::vector<float> x = random_bf16(160, 4);
  std::vector<float> y(33);
  reference().linear(m.matrix, 0, x, y);
  expect_product(m, 0, quantized(x), y);
}

TEST(ReferenceLinear, PlainAndOutputGroupsDoNotQuantizeActivations) {
  const TestMatrix m = fp8_matrix(40, 64, 5);
  const std::vector<float> x = random_bf16(64, 6);
  const std::vector<double> exact(x.begin(), x.end());
  std::vector<float> y(40);
  plain().linear(m.matrix, 0, x, y);
  expect_product(m, 0, exact, y);
  reference().output_group(m.matrix, 0, x, y);
  expect_product(m, 0, exact, y);
}

TEST(ReferenceLinear, RowsInTheMiddleEqualThoseOfTheWhole) {
  const TestMatrix m = fp8_matrix(128, 64, 7);
  const std::vector<float> x = random_bf16(64, 8);
  std::vector<float> whole(128);
  std::vector<float> part(41);
  reference().linear(m.matrix, 0, x, whole);
  reference().linear(m.matrix, 50, x, part);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 50));
}

TEST(ReferenceLinear, NonFiniteInputsGiveNonFiniteResults) {
  const TestMatrix m = fp8_matrix(8, 64, 9);
  for (const float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    std::vector<float> x = random_bf16(64, 10);
    x[40] = bad;
    std::vector<float> y(8);
    reference().linear(m.matrix, 0, x, y);
    for (const float value : y) EXPECT_FALSE(std::isfinite(value));
  }
}

TEST(ReferenceLinear, HeadsAndFloatMatricesStayBinary32) {
  const std::vector<float> values = random_bf16(std::size_t{5} * 64, 11);
  const std::vector<float> x = random_bf16(64, 12);
  std::vector<std::byte> codes(values.size() * 2);
  for (std::size_t i = 0; i < values.size(); ++i) store(&codes[2 * i], arith::bf16_code(values[i]));
  std::vector<float> of_codes(5);
  std::vector<float> of_floats(5);
  reference().logits({MatrixType::kBf16, 5, 64, codes, {}}, x, of_codes);
  reference().float_linear({5, 64, values}, x, of_floats);
  EXPECT_EQ(of_codes, of_floats);
  for (std::size_t row = 0; row < 5; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < 64; ++i) sum += double{values[row * 64 + i]} * x[i];
    EXPECT_NEAR(of_floats[row], sum, 1e-5);
  }
}

}  // namespace
}  // namespace bolide::model
