#include "app/json_number.h"

#include <bit>
#include <boost/json/value_to.hpp>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "base/json.h"
#include "base/types.h"

namespace bolide::app {
namespace {

std::string text_of(float value) {
  std::string json;
  append_number(json, value);
  return json;
}

// As a reader does that has binary64 numbers only.
float read_back(const std::string& json) {
  const Result<boost::json::value> number = parse_json(json, "number");
  EXPECT_TRUE(number.ok()) << json;
  return static_cast<float>(number->to_number<double>());
}

TEST(JsonNumber, ReadsBackToTheSameBits) {
  using Limits = std::numeric_limits<float>;
  for (const float value : {0.0f, -0.0f, 1.0f, -3.0f, 0.1f, 16777216.0f, 1e20f, Limits::max(), Limits::lowest(),
                            Limits::min(), Limits::denorm_min(), -1.17549421e-38f}) {
    EXPECT_EQ(std::bit_cast<u32>(read_back(text_of(value))), std::bit_cast<u32>(value)) << text_of(value);
  }
  std::mt19937 random(5);
  for (int i = 0; i < 300'000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<u32>(random()));
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(std::bit_cast<u32>(read_back(text_of(value))), std::bit_cast<u32>(value)) << text_of(value);
  }
}

// The shortest form of this value, read as binary64 and rounded again, is its neighbour.
TEST(JsonNumber, SurvivesRoundingTwice) {
  const auto value = std::bit_cast<float>(u32{0x15ae43fd});
  EXPECT_EQ(std::bit_cast<u32>(static_cast<float>(7.038531e-26)), 0x15ae43feu);
  EXPECT_EQ(std::bit_cast<u32>(read_back(text_of(value))), 0x15ae43fdu) << text_of(value);
}

TEST(JsonNumber, IsAsShortAsItCanBe) {
  EXPECT_EQ(text_of(0.1f), "0.1");
  EXPECT_EQ(text_of(-2.0f), "-2");
  EXPECT_EQ(text_of(-0.0f), "-0.0");
}

TEST(JsonNumber, IsAppended) {
  std::string json = "[1, ";
  append_number(json, -0.5f);
  EXPECT_EQ(json, "[1, -0.5");
}

}  // namespace
}  // namespace bolide::app
