#include "arith/functions.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "arith/host_functions.h"

namespace bolide::arith {
namespace {

// The distance from the exact value in units of the last place of its binary32 rounding.
double ulps(float found, double exact) {
  const float rounded = static_cast<float>(exact);
  const double ulp = std::nextafter(std::fabs(rounded), std::numeric_limits<float>::infinity()) - std::fabs(rounded);
  return std::fabs(found - exact) / ulp;
}

template <class F, class G>
double largest_error(float low, float high, F function, G exact) {
  constexpr int kSteps = 200000;
  double largest = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const float x = low + (high - low) * (static_cast<float>(i) / kSteps);
    largest = std::max(largest, ulps(function(x), exact(static_cast<double>(x))));
  }
  return largest;
}

// The bounds that the definition states (design: a1-functions.h), and not much less: the grids are fine enough to come
// near them.
TEST(Functions, StayWithinTheStatedErrors) {
  EXPECT_LE(largest_error(-64, 64, exp, [](double x) { return std::exp(x); }), 0.89);
  EXPECT_LE(largest_error(0, 1, log1p, [](double x) { return std::log1p(x); }), 1.93);
  EXPECT_LE(largest_error(-60, 60, sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }), 2.14);
  EXPECT_LE(
      largest_error(-60, 60, softplus, [](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }),
      2.73);
}

TEST(Functions, ExpIsExactAtZeroAndCutBelowMinus64) {
  EXPECT_EQ(exp(0.0f), 1.0f);
  EXPECT_EQ(exp(-64.0f) > 0.0f, true);
  EXPECT_EQ(exp(std::nextafter(-64.0f, -65.0f)), 0.0f);
  EXPECT_EQ(exp(-std::numeric_limits<float>::infinity()), 0.0f);
}

TEST(HostFunctions, SinCosAreTheNearestOrNextBinary32UpToAMillionRadians) {
  for (float angle = 0.0f; angle < 1.1e6f; angle = angle * 1.0007f + 0.001f) {
    const SinCos found = sincos(angle);
    EXPECT_NEAR(found.sin, std::sin(static_cast<double>(angle)), 6e-8) << angle;
    EXPECT_NEAR(found.cos, std::cos(static_cast<double>(angle)), 6e-8) << angle;
  }
}

// Spec model.md section 8.
TEST(HostFunctions, RopeFrequenciesAreThoseOfTheSpecification) {
  const auto plain = rope_frequencies(10000, {1, 1, 1, 0});
  EXPECT_NEAR(plain[1], 0.749894202, 1e-7);
  EXPECT_NEAR(plain[8], 0.100000001, 1e-8);
  EXPECT_NEAR(plain[31], 0.00013335215, 1e-11);
  const auto yarn = rope_frequencies(160000, {16, 32, 1, 65536});
  EXPECT_NEAR(yarn[1], 0.687656045, 1e-7);
  EXPECT_NEAR(yarn[15], 0.00363553851, 1e-9);
  EXPECT_NEAR(yarn[16], 0.00226562493, 1e-9);
  EXPECT_NEAR(yarn[20], 0.000296977785, 1e-10);
  EXPECT_NEAR(yarn[24], 1.95312532e-05, 1e-11);
  EXPECT_NEAR(yarn[31], 5.6805294e-07, 1e-13);
}

TEST(HostFunctions, LogAndGumbelNoise) {
  for (double x = 1e-7; x < 40; x *= 1.01) EXPECT_NEAR(log(x), std::log(x), 1e-15 + 3e-16 * std::fabs(std::log(x)));
  for (const u32 word : {0u, 0x7fffffffu, 0xffffffffu}) {
    const double u = (static_cast<double>(word >> 9) + 0.5) * 0x1p-23;
    EXPECT_NEAR(gumbel(word), -std::log(-std::log(u)), 1e-5);
  }
}

}  // namespace
}  // namespace bolide::arith
