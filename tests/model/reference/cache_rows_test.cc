// The cache quantizers that REF and A1 share (spec model.md 3.0: Q8, Q4k; its vectors of section 8).
#include <algorithm>
#include <array>
#include <gtest/gtest.h>

#include "model/state_layout.h"

namespace bolide::model {
namespace {

std::array<float, kHeadDim> through_compressed_row(const std::array<float, kHeadDim>& x) {
  std::array<std::byte, kCompressedRowBytes> row;
  encode_compressed_row(x, row);
  std::array<float, kHeadDim> y;
  decode_compressed_row(row, y);
  return y;
}

std::array<float, kHeadDim> through_window_row(const std::array<float, kHeadDim>& x) {
  std::array<std::byte, kWindowRowBytes> row;
  encode_window_row(x, row);
  std::array<float, kHeadDim> y;
  decode_window_row(row, y);
  return y;
}

TEST(CacheRows, CompressedRowsGiveTheSpecificationsValues) {
  std::array<float, kHeadDim> x{};
  x[3] = 8.25f;      // scale e4m3(1.375) = 1.375
  x[17] = -3000.0f;  // the scale saturates at 448
  const auto y = through_compressed_row(x);
  EXPECT_EQ(y[3], 8.25f);
  EXPECT_EQ(y[17], -2688.0f);
  EXPECT_EQ(std::ranges::count(y, 0.0f), kHeadDim - 2);  // groups of zeros stay zero
}

TEST(CacheRows, WindowRowsGiveTheSpecificationsValues) {
  std::array<float, kHeadDim> x{};
  x[0] = 448.0f;  // scale 1
  x[1] = 447.0f;
  x[32] = 449.0f;  // scale 2, so the code is that of 224.5: 224
  const auto y = through_window_row(x);
  EXPECT_EQ(y[0], 448.0f);
  EXPECT_EQ(y[1], 448.0f);
  EXPECT_EQ(y[32], 448.0f);
  EXPECT_EQ(y[64], 0.0f);
}

}  // namespace
}  // namespace bolide::model
