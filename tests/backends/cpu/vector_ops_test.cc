// Every loop of vector_ops, and what is made of them, gives the bits of the oracle, flushing or not.
#include "backends/cpu/vector_ops.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <string>

#include "arith/bf16.h"
#include "arith/quantizers.h"
#include "arith/reductions.h"
#include "backends/cpu/bits.h"
#include "base/flush_mode.h"
#include "model/oracle/mechanisms.h"
#include "model/streams.h"

namespace bolide::backends::cpu {
namespace {

using model::kHeadDim;
using model::kIndexHeadDim;

// Ordinary values, zeros of both signs, values of every size that activations may have, ties of the quantizers.
std::vector<float> bf16_values(std::size_t n, std::mt19937& random) {
  std::normal_distribution<float> normal;
  std::vector<float> values(n);
  for (float& value : values) {
    const u32 kind = random() % 32;
    float size = kind == 0 ? 0x1p30f : kind == 1 ? 0x1p-30f : 1.0f;
    if (kind == 2) size = 0.0f;
    value = arith::bf16(normal(random) * size);
    if (kind > 28) value = static_cast<float>(static_cast<i32>(random() % 49) - 24) * 0.25f;
  }
  return values;
}

std::vector<float> binary32_values(std::size_t n, float size, std::mt19937& random) {
  std::normal_distribution<float> normal;
  std::vector<float> values(n);
  for (float& value : values) value = random() % 32 == 0 ? 0.0f : normal(random) * size;
  return values;
}

class VectorOpsTest : public testing::TestWithParam<std::tuple<InstructionSet, bool>> {
 protected:
  const VectorLoops& loops() const { return vector_loops(std::get<0>(GetParam())); }
  // Set after the oracle has computed.
  bool flush() const { return std::get<1>(GetParam()); }
  std::mt19937 random_{51};
};

TEST_P(VectorOpsTest, SumsAreOrdered) {
  for (const u32 n : {1u, 7u, 32u, 255u, 256u, 261u, 512u, 1000u, 5120u}) {
    const std::vector<float> x = binary32_values(n, 3.0f, random_);
    const std::vector<float> y = binary32_values(n, 3.0f, random_);
    const std::vector<float> a = bf16_values(n, random_);
    std::vector<float> weighted(n);
    for (u32 i = 0; i < n; ++i) weighted[i] = (a[i] * y[i]) * x[i];
    const std::vector<float> expected = {arith::ordered_sum(x), arith::ordered_dot(x, y),
                                         arith::ordered_dot(weighted, y)};
    const FlushMode mode(flush());
    const std::vector<float> sums = {loops().sum(x.data(), n), loops().dot(x.data(), y.data(), n),
                                     loops().weighted_dot(a.data(), y.data(), x.data(), y.data(), n)};
    ASSERT_EQ(bits(sums), bits(expected)) << n;
  }
}

TEST_P(VectorOpsTest, RoundingToBf16KeepsEveryKindOfNumber) {
  std::vector<float> x;
  // Around every BF16 code: the code, the tie above it, and their neighbours; infinities and NaN among them.
  for (u32 code = 0; code < 0x10000; code += 3) {
    for (const u32 low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
      x.push_back(dialect::from_bits(code << 16 | low));
  }
  x.resize(x.size() / 16 * 16);
  std::vector<float> expected = x;
  for (float& value : expected) value = arith::bf16(value);
  const FlushMode mode(flush());
  loops().round_to_bf16(x.data(), static_cast<u32>(x.size()));
  EXPECT_EQ(bits(x), bits(expected));
}

TEST_P(VectorOpsTest, Norm) {
  for (const u32 n : {128u, 512u, 1280u, 5120u}) {
    const std::vector<float> x = bf16_values(n, random_);
    const std::vector<float> w = bf16_values(n, random_);
    std::vector<float> expected(n);
    model::oracle::norm(x, w, 1e-6f, expected);
    const float expected_factor = model::oracle::inverse_rms(x, 1e-6f);
    const FlushMode mode(flush());
    std::vector<float> y(n);
    norm(loops(), x, w, 1e-6f, y);
    ASSERT_EQ(bits(y), bits(expected)) << n;
    ASSERT_EQ(inverse_rms(loops(), x, 1e-6f), expected_factor) << n;
  }
}

TEST_P(VectorOpsTest, Streams) {
  constexpr u32 kDim = 5120;
  model::Mix mix;
  for (u32 i = 0; i < 4; ++i) mix.pre[i] = 0.1f + 0.3f * static_cast<float>(i);
  for (u32 i = 0; i < 4; ++i) mix.post[i] = 1.7f - 0.3f * static_cast<float>(i);
  for (u32 i = 0; i < 16; ++i) mix.carry[i] = 0.06f * static_cast<float>(i) - 0.2f;
  const std::vector<float> y = bf16_values(kDim, random_);
  model::Streams streams(y);
  streams.h = bf16_values(u64{4} * kDim, random_);
  std::vector<float> h = streams.h;
  streams.pre = mix.pre;
  const std::vector<float> collapsed = collapse(streams);
  const std::vector<float> tap = tap_mean(streams);
  expand(mix, y, streams);

  const FlushMode mode(flush());
  std::vector<float> x(kDim);
  loops().collapse(h.data(), mix.pre.data(), x.data(), kDim);
  EXPECT_EQ(bits(x), bits(collapsed));
  loops().tap(h.data(), x.data(), kDim);
  EXPECT_EQ(bits(x), bits(tap));
  loops().expand(h.data(), mix.post.data(), mix.carry.data(), y.data(), kDim);
  EXPECT_EQ(bits(h), bits(streams.h));
}

TEST_P(VectorOpsTest, EngramGate) {
  for (const float size : {1.0f, -1.0f, 0.0f}) {
    const std::vector<float> value = bf16_values(1536, random_);
    const std::vector<float> q_weight = bf16_values(1536, random_);
    const std::vector<float> k_weight = bf16_values(1536, random_);
    std::vector<float> h = bf16_values(1536, random_);
    std::vector<float> key = h;  // a strong match, of either sign, or none
    for (float& k : key) k = k * size;
    std::vector<float> expected = h;
    model::oracle::engram_add(model::oracle::engram_match(h, key, q_weight, k_weight, 1e-6f), value, expected);
    const FlushMode mode(flush());
    engram_gate(loops(), h, key, value, q_weight, k_weight, 1e-6f);
    EXPECT_EQ(bits(h), bits(expected)) << size;
  }
}

// Where h cancels the product to what its own rounding left, bf16 does not hide whether it was rounded.
TEST_P(VectorOpsTest, TheProductOfTheGateIsRoundedBeforeTheSum) {
  constexpr u32 kValues = 4096;
  constexpr float kGate = 0x1.6a09e6p-1f;
  const std::vector<float> value = bf16_values(kValues, random_);
  std::vector<float> h(kValues);
  std::vector<float> expected(kValues);
  u32 differ = 0;
  for (u32 i = 0; i < kValues; ++i) {
    h[i] = -arith::bf16(kGate * value[i]);
    expected[i] = arith::bf16(h[i] + kGate * value[i]);
    if (expected[i] != arith::bf16(dialect::fma(kGate, value[i], h[i]))) ++differ;
  }
  ASSERT_GT(differ, 0u);
  const FlushMode mode(flush());
  loops().add_scaled(h.data(), kGate, value.data(), kValues);
  EXPECT_EQ(bits(h), bits(expected));
}

TEST_P(VectorOpsTest, Sinkhorn) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    const float size = repeat % 2 == 0 ? 1.0f : 40.0f;
    const std::vector<float> m = binary32_values(24, size, random_);
    const std::vector<float> base = binary32_values(24, 1.0f, random_);
    const std::vector<float> scale = binary32_values(3, 1.0f, random_);
    const std::span<const float, 24> products(m);
    const model::Mix expected = model::oracle::sinkhorn(products, scale, base, 20, 1e-6f);
    const FlushMode mode(flush());
    const model::Mix mix = sinkhorn(products, scale, base, 20, 1e-6f);
    ASSERT_EQ(bits(mix.pre), bits(expected.pre));
    ASSERT_EQ(bits(mix.post), bits(expected.post));
    ASSERT_EQ(bits(mix.carry), bits(expected.carry));
  }
}

TEST_P(VectorOpsTest, Swiglu) {
  constexpr u32 kWidth = 2304;
  std::vector<float> gate = bf16_values(kWidth, random_);
  std::vector<float> up = bf16_values(kWidth, random_);
  for (u32 i = 0; i < 64; ++i) gate[i] = 4.0f * static_cast<float>(static_cast<i32>(i) - 40);  // down to e^-160
  gate[70] = std::nanf("");
  up[71] = std::nanf("");
  gate[72] = -HUGE_VALF;
  std::vector<float> expected(kWidth);
  for (u32 i = 0; i < kWidth; ++i) expected[i] = model::oracle::swiglu(gate[i], up[i], 0.37f, 10.0f);
  const FlushMode mode(flush());
  loops().swiglu(gate.data(), up.data(), 0.37f, 10.0f, gate.data(), kWidth);
  EXPECT_EQ(bits(gate), bits(expected));
}

TEST_P(VectorOpsTest, PoolPair) {
  const std::vector<float> even_key = binary32_values(kHeadDim, 2.0f, random_);
  const std::vector<float> odd_key = binary32_values(kHeadDim, 2.0f, random_);
  const std::vector<float> even_gate = binary32_values(kHeadDim, 30.0f, random_);
  std::vector<float> odd_gate = binary32_values(kHeadDim, 30.0f, random_);
  std::copy_n(even_gate.begin(), 8, odd_gate.begin());
  std::vector<float> expected(kHeadDim);
  for (u32 i = 0; i < kHeadDim; ++i) {
    expected[i] = arith::bf16(model::oracle::pool_pair(even_key[i], even_gate[i], odd_key[i], odd_gate[i]));
  }
  const FlushMode mode(flush());
  std::vector<float> latent(kHeadDim);
  loops().pool_pair(even_key.data(), even_gate.data(), odd_key.data(), odd_gate.data(), latent.data(), kHeadDim);
  EXPECT_EQ(bits(latent), bits(expected));
}

TEST_P(VectorOpsTest, ActivationCodes) {
  std::vector<float> x = bf16_values(640, random_);
  std::fill_n(x.begin() + 32, 32, 0x1p-41f);
  const arith::QuantizedActivations expected = arith::quantize_activations(x);
  std::vector<float> inverses;
  for (u32 block = 0; block < 20; ++block) {
    const float largest = arith::max_magnitude(std::span(x).subspan(block * 32, 32));
    inverses.push_back(largest < 0x1p-40f ? 0.0f : 127.0f / largest);
  }
  const FlushMode mode(flush());
  std::vector<i8> codes(640);
  std::vector<i32> sums(20);
  loops().activation_codes(x.data(), inverses.data(), codes.data(), sums.data(), 640);
  EXPECT_EQ(codes, expected.q);
  EXPECT_EQ(sums, expected.sum);
}

TEST_P(VectorOpsTest, RowsOfTheState) {
  for (int repeat = 0; repeat < 40; ++repeat) {
    std::vector<float> x = bf16_values(kHeadDim, random_);
    if (repeat == 0) std::fill(x.begin(), x.end(), -0.0f);
    if (repeat % 4 == 1) {
      for (float& value : x) value *= 0x1p-36f;  // down to subnormals, below every quantizer's floor
      for (u32 i = 0; i < 64; ++i) x[i] = dialect::from_bits(static_cast<u32>(random_()) & 0x80ffffffu);
    }
    const std::span<const float, kHeadDim> head(x);
    const std::span<const float, kIndexHeadDim> key(x.data(), kIndexHeadDim);
    std::array<std::array<std::byte, model::kWindowRowBytes>, 2> window;
    std::array<std::array<std::byte, model::kCompressedRowBytes>, 2> compressed;
    std::array<std::array<std::byte, model::kIndexRowBytes>, 2> index;
    model::encode_window_row(head, window[0]);
    model::encode_compressed_row(head, compressed[0]);
    model::encode_index_row(key, index[0]);
    const FlushMode mode(flush());
    encode_window_row(loops(), head, window[1]);
    encode_compressed_row(loops(), head, compressed[1]);
    encode_index_row(loops(), key, index[1]);
    ASSERT_EQ(window[1], window[0]);
    ASSERT_EQ(compressed[1], compressed[0]);
    ASSERT_EQ(index[1], index[0]);
  }
}

std::string test_name(const testing::TestParamInfo<VectorOpsTest::ParamType>& info) {
  return std::string(name(std::get<0>(info.param))) + (std::get<1>(info.param) ? "_flushing" : "");
}

INSTANTIATE_TEST_SUITE_P(Sets, VectorOpsTest,
                         testing::Combine(testing::ValuesIn(present_instruction_sets()), testing::Bool()), test_name);

}  // namespace
}  // namespace bolide::backends::cpu
