#include "convert/synth_numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/philox.h"
#include "convert/synth_rules.h"

namespace bolide::convert {
namespace {

using testing::Each;
using testing::ElementsAre;

std::vector<u8> bytes_of(const NumberPlane& plane, u64 offset, u64 n) {
  std::vector<u8> bytes(n);
  fill_numbers(1, plane, offset, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

TEST(SynthNumbers, NamesAreHashedByFnv1a) {
  EXPECT_EQ(fnv1a_64(""), 0xcbf29ce484222325U);
  EXPECT_EQ(fnv1a_64("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(fnv1a_64("foobar"), 0x85944171f73967e8U);
}

TEST(SynthNumbers, GroupsAreThePhiloxBlocksOfSeedIndexAndName) {
  constexpr u64 kSeed = 0x0123456789abcdef;
  constexpr u64 kName = 0xfedcba9876543210;
  constexpr u64 kFirst = 0xfffffffd;  // the index grows beyond 32 bits
  std::vector<u32> words(4 * 21 + 2);
  fill_random(kSeed, kName, kFirst, std::as_writable_bytes(std::span(words)));
  for (u64 i = 0; i < words.size(); ++i) {
    const u64 index = kFirst + i / 4;
    const auto block =
        philox4x32(kSeed, {static_cast<u32>(index), static_cast<u32>(index >> 32), 0x76543210, 0xfedcba98});
    ASSERT_EQ(words[i], block[i % 4]) << "word " << i;
  }
}

TEST(SynthNumbers, APartOfAPlaneIsAsInTheWhole) {
  const NumberPlane plane = {.name = "x.weight",
                             .runs = {{160, {.bytes = 1, .spread = 15}, 0}, {64, {.bytes = 2, .spread = 255}, 0}}};
  const std::vector<u8> whole = bytes_of(plane, 0, 224);
  const std::vector<u8> part = bytes_of(plane, 144, 32);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 144));
}

TEST(SynthNumbers, RulesGiveFirstPlusSpreadWithASign) {
  const auto numbers =
      bytes_of({.name = "x", .runs = {{4096, {.bytes = 1, .first = 10, .spread = 3, .sign = 0x80}, 0}}}, 0, 4096);
  std::array<u32, 256> count{};
  for (const u8 number : numbers) ++count[number];
  for (const u8 number : {10, 11, 12, 13, 138, 139, 140, 141}) {
    EXPECT_GT(count[number], 400U);
    count[number] = 0;
  }
  EXPECT_THAT(count, Each(0U));
}

TEST(SynthNumbers, Int8NumbersAreAllButMinus128) {
  const auto numbers = bytes_of({.name = "x", .runs = {{65536, {.is_int8 = true}, 32}}, .rows = 32}, 0, 65536);
  std::array<u32, 256> count{};
  for (const u8 number : numbers) ++count[number];
  EXPECT_EQ(count[0x80], 0U);
  EXPECT_GT(count[0x81], 400U);  // twice as often as the others
  EXPECT_GT(*std::ranges::min_element(count.begin(), count.begin() + 0x80), 150U);
}

TEST(SynthNumbers, RowsThatFillUpTheLastTileAreZerosWhereverAPieceBegins) {
  // 40 rows of three blocks of 16 bytes: two tiles, of which the second has 8 rows.
  const NumberPlane plane = {
      .name = "x", .runs = {{2 * 3 * 32 * 16, {.bytes = 1, .first = 1, .spread = 127}, 16}}, .rows = 40};
  std::vector<u8> bytes;
  for (u64 offset = 0; offset < plane.bytes(); offset += 48) {
    const std::vector<u8> piece = bytes_of(plane, offset, 48);
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  }
  for (u64 i = 0; i < bytes.size(); ++i) {
    const u64 row = i / (3 * 32 * 16) * 32 + i / 16 % 32;
    ASSERT_EQ(bytes[i] == 0, row >= 40) << "byte " << i;
  }
}

// Made by a program of its own (Python) from the words of docs/decisions/0014-synthetic-models.md alone.
TEST(SynthNumbers, AreThoseOfAnIndependentProgram) {
  model::TensorSpec experts{.name = "layers.3.ffn.experts.w1",
                            .tensor_class = model::TensorClass::kRoutedExperts,
                            .checkpoint = model::CheckpointFormat::kFp4,
                            .packed = {formats::WeightType::kMXFP4, formats::Form::kTiled, 24, 768, 1536},
                            .dimensions = 2,
                            .draft = false};
  const TensorPlanes mxfp4 = packed_planes(experts, 5);
  EXPECT_EQ(mxfp4.codes.name, "layers.3.ffn.experts.5.w1.weight");
  EXPECT_THAT(bytes_of(mxfp4.codes, 32, 8), ElementsAre(112, 147, 136, 60, 187, 52, 59, 202));
  EXPECT_THAT(bytes_of(*mxfp4.scales, 16, 8), ElementsAre(118, 119, 118, 120, 119, 120, 121, 119));
  experts.packed.type = formats::WeightType::kQ4_K;
  const TensorPlanes q4_k = packed_planes(experts, 5);
  EXPECT_THAT(bytes_of(*q4_k.scales, 0, 8), ElementsAre(27, 5, 216, 18, 190, 6, 92, 18));
  EXPECT_THAT(bytes_of(*q4_k.scales, u64{768} * 6 * 4, 8), ElementsAre(42, 23, 15, 1, 8, 60, 16, 33));
  const model::TensorSpec wkv{.name = "layers.0.attn.wkv.weight",
                              .tensor_class = model::TensorClass::kAttention,
                              .checkpoint = model::CheckpointFormat::kFp8,
                              .packed = {formats::WeightType::kQ8_0, formats::Form::kTiled, 1, 512, 1536},
                              .dimensions = 2,
                              .draft = false};
  EXPECT_THAT(bytes_of(*packed_planes(wkv, 0).scales, 0, 8), ElementsAre(92, 12, 209, 13, 99, 14, 148, 13));
  EXPECT_THAT(bytes_of(checkpoint_planes(wkv, 0).codes, 0, 8), ElementsAre(124, 110, 75, 80, 119, 71, 109, 230));
}

}  // namespace
}  // namespace bolide::convert
