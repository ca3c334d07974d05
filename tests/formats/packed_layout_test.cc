#include "formats/packed_layout.h"

#include <gmock/gmock.h>

namespace bolide::formats {
namespace {

using ::testing::HasSubstr;

PackedShape matrix(WeightType type, u64 rows, u64 columns, u64 experts = 1) {
  return {.type = type, .form = Form::kTiled, .experts = experts, .rows = rows, .columns = columns};
}

// The order of the design: tiles of 32 rows, in a tile the blocks of K, in a block the 32 rows, then the row's bytes.
TEST(PackedLayout, TilesGoTileThenBlockThenRow) {
  for (const u64 block_bytes : {u64{1}, u64{2}, u64{4}, u64{16}, u64{32}}) {
    constexpr u64 kTiles = 3, kBlocks = 5;
    u64 next = 0;
    for (u64 tile = 0; tile < kTiles; ++tile) {
      for (u64 block = 0; block < kBlocks; ++block) {
        for (u64 row = 0; row < 32; ++row) {
          EXPECT_EQ(tile_offset(tile * 32 + row, block, kBlocks, block_bytes), next);
          next += block_bytes;
        }
      }
    }
  }
}

TEST(PackedLayout, OffsetsAre64BitsWide) {
  EXPECT_EQ(tile_offset(129'279, 159, 160, 32), 129'280u * 160 * 32 - 32);
  EXPECT_EQ(tile_offset((u64{1} << 40) - 1, 0, 1, 16), (u64{1} << 44) - 16);
}

TEST(PackedLayout, PlaneSizesOfEveryType) {
  struct Case {
    PackedShape shape;
    u64 codes, scales;
  };
  const std::vector<Case> cases{
      {matrix(WeightType::kMXFP4, 32, 32), 32 * 16, 32},
      {matrix(WeightType::kMXFP4, 33, 64), 64 * 32, 64 * 2},
      {matrix(WeightType::kQ8_0, 40, 64), 64 * 64, 64 * 2 * 2},
      {matrix(WeightType::kQ4_K, 40, 512), 64 * 256, 64 * 2 * 4 + 64 * 16 * 2},
      {matrix(WeightType::kBF16, 24, 20'480), u64{32} * 20'480 * 2, 0},
      {matrix(WeightType::kF32, 1, 4), 32 * 4 * 4, 0},
      {matrix(WeightType::kF16, 32, 8), 32 * 8 * 2, 0},
      {{.type = WeightType::kBF16, .form = Form::kPlain, .rows = 1, .columns = 3}, 6, 0},
      {{.type = WeightType::kF32, .form = Form::kPlain, .rows = 5, .columns = 3}, 60, 0},
      // One expert of the big model, as spec/model.md 2.1 counts it: w1, w3 and w2 together are 18,800,640 bytes.
      {matrix(WeightType::kMXFP4, 2304, 5120), 5'898'240, 368'640},
      {matrix(WeightType::kMXFP4, 5120, 2304), 5'898'240, 368'640},
  };
  for (const Case& c : cases) {
    const Result<PlaneBytes> planes = plane_bytes(c.shape);
    ASSERT_TRUE(planes.ok()) << planes.error().message;
    EXPECT_EQ(planes->codes, c.codes) << name(c.shape.type) << " " << c.shape.rows << " x " << c.shape.columns;
    EXPECT_EQ(planes->scales, c.scales) << name(c.shape.type) << " " << c.shape.rows << " x " << c.shape.columns;
  }
  EXPECT_EQ(3u * (5'898'240 + 368'640), 18'800'640u);
}

TEST(PackedLayout, Q4KScalesOfBlocksFollowThoseOfSuperblocks) {
  EXPECT_EQ(q4_k_block_scales_offset(matrix(WeightType::kQ4_K, 40, 512)), 64u * 2 * 4);
  EXPECT_EQ(q4_k_block_scales_offset(matrix(WeightType::kQ4_K, 2304, 5120)), 2304u * 20 * 4);
}

TEST(PackedLayout, TensorsStartAt16KiBAndExpertsAt256Bytes) {
  const Result<Placement> placement = place(matrix(WeightType::kMXFP4, 32, 32, 3), 16'385);
  ASSERT_TRUE(placement.ok());
  EXPECT_EQ(placement->codes_offset, 32'768u);
  EXPECT_EQ(placement->expert.codes, 512u);
  EXPECT_EQ(placement->codes_stride, 512u);
  EXPECT_EQ(placement->codes_bytes, 3u * 512);
  EXPECT_EQ(placement->scales_offset, 32'768u + 3 * 512);
  EXPECT_EQ(placement->expert.scales, 32u);
  EXPECT_EQ(placement->scales_stride, 256u);
  EXPECT_EQ(placement->scales_bytes, 3u * 256);
  EXPECT_EQ(placement->end(), 32'768u + 3 * 512 + 3 * 256);
}

TEST(PackedLayout, PlacesBeyond4GiB) {
  const u64 free = u64{500'000'000'000};
  const Result<Placement> placement = place(matrix(WeightType::kMXFP4, 2304, 5120, 384), free);
  ASSERT_TRUE(placement.ok());
  EXPECT_EQ(placement->codes_offset % kTensorAlignment, 0u);
  EXPECT_GE(placement->codes_offset, free);
  EXPECT_EQ(placement->end() - placement->codes_offset, u64{384} * (5'898'240 + 368'640));
}

TEST(PackedLayout, RefusesWhatATypeCannotHold) {
  const std::vector<std::pair<PackedShape, std::string>> cases{
      {matrix(WeightType::kMXFP4, 32, 33), "33 columns in tiles of MXFP4: a multiple of 32"},
      {matrix(WeightType::kQ8_0, 32, 16), "a multiple of 32"},
      {matrix(WeightType::kQ4_K, 32, 128), "a multiple of 256"},
      {matrix(WeightType::kF32, 32, 6), "a multiple of 4"},
      {matrix(WeightType::kQ8_0, 0, 32), "none may be 0"},
      {matrix(WeightType::kQ8_0, 32, 0), "none may be 0"},
      {matrix(WeightType::kQ8_0, 32, 32, 0), "none may be 0"},
      {{.type = WeightType::kQ8_0, .form = Form::kPlain, .rows = 32, .columns = 32}, "tiles only"},
      {matrix(WeightType::kQ8_0, (u64{1} << 63) - 1, 64), "more than a file can hold"},
      {matrix(WeightType::kQ8_0, ~u64{0}, 32), "more than a file can hold"},
      {matrix(WeightType::kF32, u64{1} << 32, u64{1} << 32), "more than a file can hold"},
      {matrix(WeightType::kMXFP4, 32, 32, u64{1} << 60), "more than a file can hold"},
      {{.type = WeightType::kBF16, .form = Form::kPlain, .rows = (u64{1} << 63) - 1, .columns = 2},
       "more than a file can hold"},
  };
  for (const auto& [shape, named] : cases) {
    const Result<Placement> placement = place(shape, 4096);
    ASSERT_FALSE(placement.ok()) << named;
    EXPECT_THAT(placement.error().message, HasSubstr(named));
  }
  EXPECT_FALSE(place(matrix(WeightType::kQ8_0, 32, 32), ~u64{0} - 5).ok());
}

TEST(WeightTypes, HaveTheNumbersAndNamesOfGguf) {
  const std::vector<std::pair<u32, std::string_view>> types{{0, "F32"},   {1, "F16"},   {8, "Q8_0"},
                                                            {12, "Q4_K"}, {30, "BF16"}, {39, "MXFP4"}};
  for (const auto& [number, type_name] : types) {
    ASSERT_TRUE(weight_type(number).has_value());
    EXPECT_EQ(static_cast<u32>(*weight_type(number)), number);
    EXPECT_EQ(name(*weight_type(number)), type_name);
  }
  for (const u32 number : {2u, 7u, 16u, 40u, ~0u}) EXPECT_EQ(weight_type(number), std::nullopt);
}

}  // namespace
}  // namespace bolide::formats
