// Every kernel of attention gives the bits of the oracle.
#include "backends/cpu/attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <string>

#include "arith/bf16.h"
#include "arith/functions.h"
#include "arith/reductions.h"
#include "backends/cpu/bits.h"
#include "base/flush_mode.h"
#include "model/oracle/mechanisms.h"

namespace bolide::backends::cpu {
namespace {

using model::kHeadDim;

constexpr float kScale = 0x1.6a09e6p-5f;

std::vector<float> bf16_values(std::size_t n, float size, std::mt19937& random) {
  std::normal_distribution<float> normal;
  std::vector<float> values(n);
  for (float& value : values) value = arith::bf16(normal(random) * size);
  return values;
}

// Rows of the state with what the oracle decodes from them.
struct Entries {
  std::vector<std::array<std::byte, model::kWindowRowBytes>> window;
  std::vector<std::array<std::byte, model::kCompressedRowBytes>> compressed;
  std::vector<const std::byte*> window_rows;
  std::vector<const std::byte*> compressed_rows;
  std::vector<float> decoded;

  EntryList list() const { return {window_rows, compressed_rows}; }
};

void point_at_rows(Entries& entries) {
  for (const auto& row : entries.window) {
    entries.window_rows.push_back(row.data());
    entries.decoded.resize(entries.decoded.size() + kHeadDim);
    model::decode_window_row(row, std::span<float, kHeadDim>(entries.decoded.end() - kHeadDim, kHeadDim));
  }
  for (const auto& row : entries.compressed) {
    entries.compressed_rows.push_back(row.data());
    entries.decoded.resize(entries.decoded.size() + kHeadDim);
    model::decode_compressed_row(row, std::span<float, kHeadDim>(entries.decoded.end() - kHeadDim, kHeadDim));
  }
}

// `size` of the values: large ones make one entry take all.
Entries random_entries(u32 n_window, u32 n_compressed, float size, std::mt19937& random) {
  Entries entries;
  entries.window.resize(n_window);
  entries.compressed.resize(n_compressed);
  const auto values = [&] { return bf16_values(kHeadDim, random() % 16 == 0 ? size * 8.0f : size, random); };
  for (auto& row : entries.window) model::encode_window_row(std::span<const float, kHeadDim>(values()), row);
  for (auto& row : entries.compressed) model::encode_compressed_row(std::span<const float, kHeadDim>(values()), row);
  point_at_rows(entries);
  return entries;
}

std::vector<float> oracle_attention(const Entries& entries, std::span<const float> q, std::span<const float> sink) {
  std::vector<float> o(q.size());
  for (std::size_t head = 0; head < sink.size(); ++head) {
    model::oracle::attend_head(q.subspan(head * kHeadDim, kHeadDim), entries.decoded, sink[head], kScale,
                               std::span(o).subspan(head * kHeadDim, kHeadDim));
  }
  return o;
}

std::vector<float> kernel_attention(InstructionSet set, const Entries& entries, std::span<const float> q,
                                    std::span<const float> sink, AttentionRow& row) {
  std::vector<float> o(q.size());
  row.begin(entries.list(), q, sink, kScale);
  attend(attention(set), row, o.data());
  return o;
}

class AttentionTest : public testing::TestWithParam<InstructionSet> {};

TEST_P(AttentionTest, EveryListAndNumberOfHeadsGivesTheBitsOfTheOracle) {
  std::mt19937 random(21);
  AttentionRow row;  // one memory for lists of all lengths
  struct Shape {
    u32 heads, window, compressed;
  };
  // Part of a chunk, of a group of 64 values and of a round of 256 sums; one entry; only one kind.
  for (const Shape& shape : {Shape{4, 128, 137}, {17, 1, 0}, {33, 65, 64}, {8, 13, 500}, {3, 0, 64}}) {
    for (const float size : {1.0f, 30.0f}) {
      const Entries entries = random_entries(shape.window, shape.compressed, size, random);
      const std::vector<float> q = bf16_values(u64{shape.heads} * kHeadDim, 1.0f, random);
      std::vector<float> sink = bf16_values(shape.heads, 3.0f, random);
      sink[0] = 1e4f;  // beyond the largest exponent
      const std::vector<u32> expected = bits(oracle_attention(entries, q, sink));
      ASSERT_EQ(bits(kernel_attention(GetParam(), entries, q, sink, row)), expected) << shape.heads << " heads";
      const FlushMode flush(true);
      ASSERT_EQ(bits(kernel_attention(GetParam(), entries, q, sink, row)), expected) << shape.heads << " heads";
    }
  }
}

// Rounding the output to bf16 hides an error in the last bits of the divisor, so it is compared by itself.
TEST_P(AttentionTest, TheDivisorIsAnOrderedSumWithTheSinkCutAt64) {
  std::mt19937 random(25);
  const Entries entries = random_entries(128, 500, 1.0f, random);
  const std::vector<float> q = bf16_values(u64{6} * kHeadDim, 0.5f, random);
  std::vector<float> sink = bf16_values(6, 1.0f, random);
  sink[5] = 100.0f;
  std::vector<float> expected;
  for (u32 head = 0; head < 6; ++head) {
    std::vector<float> e;
    for (std::size_t first = 0; first < entries.decoded.size(); first += kHeadDim) {
      float score = 0.0f;
      for (u32 d = 0; d < kHeadDim; ++d) {
        score = dialect::fma(q[u64{head} * kHeadDim + d], entries.decoded[first + d], score);
      }
      e.push_back(score * kScale);
    }
    const float largest = *std::max_element(e.begin(), e.end());
    for (float& value : e) value = arith::exp(value - largest);
    expected.push_back(arith::ordered_sum(e) + arith::exp(std::min(sink[head] - largest, 64.0f)));
  }
  AttentionRow row;
  kernel_attention(GetParam(), entries, q, sink, row);
  EXPECT_EQ(bits(std::span<const float>(row.divisors).first(6)), bits(expected));
}

TEST_P(AttentionTest, EveryCodeOfARowHasItsValue) {
  std::mt19937 random(22);
  Entries entries;
  entries.window.resize(24);
  entries.compressed.resize(24);
  for (auto& row : entries.window) {
    for (std::byte& code : row) code = static_cast<std::byte>(random());
  }
  for (auto& row : entries.compressed) {
    for (std::byte& code : row) code = static_cast<std::byte>(random());
  }
  point_at_rows(entries);
  const std::vector<float> q(kHeadDim, 1.0f);
  const std::vector<float> sink(1, 0.0f);
  for (const bool flush : {false, true}) {
    const FlushMode mode(flush);
    AttentionRow row;
    row.begin(entries.list(), q, sink, kScale);
    attention(GetParam()).decode(row, {0, row.entry_chunks()});
    std::vector<float> decoded;
    for (u32 i = 0; i < 48; ++i) {
      const float* entry = &row.entries[u64{i} * AttentionRow::kEntryStride];
      decoded.insert(decoded.end(), entry, entry + kHeadDim);
    }
    EXPECT_EQ(bits(decoded), bits(entries.decoded));
  }
}

TEST_P(AttentionTest, AScoreThatIsNotFiniteMakesItsHeadNaN) {
  std::mt19937 random(23);
  const Entries entries = random_entries(20, 0, 1.0f, random);
  std::vector<float> q = bf16_values(u64{3} * kHeadDim, 1.0f, random);
  q[kHeadDim + 5] = HUGE_VALF;
  const std::vector<float> sink(3, 0.0f);
  AttentionRow row;
  EXPECT_EQ(bits(kernel_attention(GetParam(), entries, q, sink, row)), bits(oracle_attention(entries, q, sink)));
}

TEST_P(AttentionTest, PartsInAnyOrderGiveTheSame) {
  std::mt19937 random(24);
  const Entries entries = random_entries(40, 60, 1.0f, random);
  const std::vector<float> q = bf16_values(u64{40} * kHeadDim, 1.0f, random);
  const std::vector<float> sink = bf16_values(40, 1.0f, random);
  AttentionRow row;
  const std::vector<u32> expected = bits(kernel_attention(GetParam(), entries, q, sink, row));
  const Attention kernels = attention(GetParam());
  std::vector<float> o(q.size());
  AttentionRow parts;
  parts.begin(entries.list(), q, sink, kScale);
  const auto backwards = [](u32 n, const auto& phase) {
    for (u32 part = n; part > 0; --part) phase(PartRange{part - 1, part});
  };
  backwards(parts.entry_chunks(), [&](PartRange range) { kernels.decode(parts, range); });
  backwards(parts.entry_chunks(), [&](PartRange range) { kernels.score(parts, range); });
  backwards(parts.head_chunks(), [&](PartRange range) { kernels.weigh(parts, range); });
  backwards(parts.column_chunks(), [&](PartRange range) { kernels.add_values(parts, range, o.data()); });
  EXPECT_EQ(bits(o), expected);
}

std::string test_name(const testing::TestParamInfo<InstructionSet>& info) {
  return std::string(name(info.param));
}

INSTANTIATE_TEST_SUITE_P(Sets, AttentionTest, testing::ValuesIn(present_instruction_sets()), test_name);

}  // namespace
}  // namespace bolide::backends::cpu
