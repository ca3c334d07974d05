// The phases of attention, written once for all instruction sets.
//
// Only included by the kernels' own files (backends/cpu/lanes_scalar.h says why).
#pragma once
#include <algorithm>
#include <array>

#include "backends/cpu/attention.h"
#include "backends/cpu/lane_functions.h"

namespace bolide::backends::cpu {
namespace {

template <class Lanes>
struct AttentionKernel {
  using Float = typename Lanes::Float;
  using Int = typename Lanes::Int;
  using Functions = LaneFunctions<Lanes>;
  static constexpr u32 kWidth = Lanes::kWidth;
  static constexpr u32 kHeadDim = model::kHeadDim;
  static constexpr u32 kStride = AttentionRow::kEntryStride;
  // Registers: two of heads for each entry; and some heads, each with some of columns.
  static constexpr u32 kEntriesAtOnce = Lanes::kRegisters * 3 / 8;
  static constexpr u32 kHeadsAtOnce = std::min(4u, Lanes::kRegisters / 4);
  static constexpr u32 kColumnVectors = std::max(1u, Lanes::kRegisters / 8);
  static_assert(AttentionRow::kChunkEntries % kEntriesAtOnce == 0 && AttentionRow::kChunkHeads % kWidth == 0 &&
                AttentionRow::kChunkColumns % (kColumnVectors * kWidth) == 0);
  static constexpr u32 kValueGroup = 64;     // entries of one chain (rule 5)
  static constexpr u32 kAccumulators = 256;  // of rule 4

  static void decode(AttentionRow& row, PartRange entry_chunks) {
    const u32 end = std::min(entry_chunks.end * AttentionRow::kChunkEntries, row.list.size());
    const u32 n_window = static_cast<u32>(row.list.window.size());
    for (u32 i = entry_chunks.first * AttentionRow::kChunkEntries; i < end; ++i) {
      float* out = row.entries.data() + u64{i} * kStride;
      if (i < n_window) {
        decode_window_row(row.list.window[i], out);
      } else {
        decode_compressed_row(row.list.compressed[i - n_window], out);
      }
    }
  }

  // The last chunk's scores of entries that are not in the list are never read.
  static void score(AttentionRow& row, PartRange entry_chunks) {
    const u32 heads = row.padded_heads();
    for (u32 first = entry_chunks.first * AttentionRow::kChunkEntries;
         first < entry_chunks.end * AttentionRow::kChunkEntries; first += kEntriesAtOnce) {
      u32 head = 0;
      for (; head + 2 * kWidth <= heads; head += 2 * kWidth) score_heads<2>(row, first, head);
      if (head < heads) score_heads<1>(row, first, head);
    }
  }

  static void weigh(AttentionRow& row, PartRange head_chunks) {
    for (u32 head = head_chunks.first * AttentionRow::kChunkHeads; head < head_chunks.end * AttentionRow::kChunkHeads;
         head += kWidth) {
      weigh_heads(row, head);
    }
  }

  static void add_values(const AttentionRow& row, PartRange column_chunks, float* o) {
    const u32 n = row.list.size();
    const u32 end = column_chunks.end * AttentionRow::kChunkColumns;
    for (u32 column = column_chunks.first * AttentionRow::kChunkColumns; column < end;
         column += kColumnVectors * kWidth) {
      for (u32 first = 0; first < n; first += kValueGroup) {
        const Group group = {first, std::min(first + kValueGroup, n), first + kValueGroup >= n};
        u32 head = 0;
        for (; head + kHeadsAtOnce <= row.heads(); head += kHeadsAtOnce) {
          add_group<kHeadsAtOnce>(row, group, head, column, o);
        }
        for (; head < row.heads(); ++head) add_group<1>(row, group, head, column, o);
      }
    }
  }

 private:
  struct Group {
    u32 first;  // entries
    u32 end;
    bool is_last;
  };

  // 512 E4M3 codes, then 16 E8M0 scales. Codes times a power of two are BF16 values, except for the door of bf16().
  static void decode_window_row(const std::byte* codes, float* out) {
    for (u32 group = 0; group < kHeadDim / 32; ++group) {
      const Float scale = Functions::e8m0_value(static_cast<u8>(codes[kHeadDim + group]));
      for (u32 i = group * 32; i < group * 32 + 32; i += kWidth) {
        const Float value = Functions::e4m3_value(Lanes::load_u8(codes + i));
        Lanes::store(out + i, Functions::flush_tiny(Lanes::mul(value, scale)));
      }
    }
  }

  // 256 bytes of E2M1 codes, then 32 E4M3 scales. The products are BF16 values, none of them tiny.
  static void decode_compressed_row(const std::byte* codes, float* out) {
    std::array<float, kHeadDim / 16> scales;
    for (u32 i = 0; i < scales.size(); i += kWidth) {
      Lanes::store(scales.data() + i, Functions::e4m3_value(Lanes::load_u8(codes + kHeadDim / 2 + i)));
    }
    for (u32 i = 0; i < kHeadDim; i += kWidth) {
      const Float value = Functions::e2m1_value(Lanes::load_nibbles(codes + i / 2));
      Lanes::store(out + i, Lanes::mul(value, Lanes::set(scales[i / 16])));
    }
  }

  template <u32 n_vectors>
  static void score_heads(AttentionRow& row, u32 first, u32 head) {
    const u32 heads = row.padded_heads();
    const float* q = row.q_by_column.data() + head;
    const float* entries = row.entries.data() + u64{first} * kStride;
    std::array<Float, kEntriesAtOnce * n_vectors> acc;
    for (Float& sum : acc) sum = Lanes::set(0.0f);
    for (u32 d = 0; d < kHeadDim; ++d, q += heads) {
      std::array<Float, n_vectors> query;
      for (u32 v = 0; v < n_vectors; ++v) query[v] = Lanes::load(q + v * kWidth);
      for (u32 j = 0; j < kEntriesAtOnce; ++j) {
        const Float key = Lanes::set(entries[j * kStride + d]);
        for (u32 v = 0; v < n_vectors; ++v) acc[j * n_vectors + v] = Lanes::fma(query[v], key, acc[j * n_vectors + v]);
      }
    }
    const Float scale = Lanes::set(row.scale);
    for (u32 j = 0; j < kEntriesAtOnce; ++j) {
      float* out = row.weights.data() + u64{first + j} * heads + head;
      for (u32 v = 0; v < n_vectors; ++v) Lanes::store(out + v * kWidth, Lanes::mul(acc[j * n_vectors + v], scale));
    }
  }

  static void weigh_heads(AttentionRow& row, u32 head) {
    const u32 n = row.list.size();
    const u32 stride = row.padded_heads();
    float* weights = row.weights.data() + head;
    Float largest = Lanes::load(weights);
    Int largest_magnitude = Lanes::set_bits(0);
    for (u32 j = 0; j < n; ++j) {
      const Float score = Lanes::load(weights + u64{j} * stride);
      largest = Lanes::max(largest, score);
      largest_magnitude = Lanes::max(largest_magnitude, Functions::magnitude_bits(score));
    }
    // Entry j goes to sum j mod 256; e is never negative, so that sums without entries change nothing.
    std::array<Float, kAccumulators> sums;
    for (Float& sum : sums) sum = Lanes::set(0.0f);
    for (u32 j = 0; j < n; ++j) {
      float* at = weights + u64{j} * stride;
      const Float e = Functions::exp(Lanes::sub(Lanes::load(at), largest));
      sums[j % kAccumulators] = Lanes::add(sums[j % kAccumulators], e);
      Lanes::store(at, Functions::bf16_of_positive(e));
    }
    for (u32 half = kAccumulators / 2; half > 0; half /= 2) {
      for (u32 i = 0; i < half; ++i) sums[i] = Lanes::add(sums[i], sums[i + half]);
    }
    const Float limit = Lanes::set(64.0f);
    const Float over = Lanes::sub(load_sinks(row, head), largest);
    const Float sink = Functions::exp(Lanes::select(Lanes::greater(over, limit), limit, over));
    const auto is_finite = Lanes::less(largest_magnitude, Lanes::set_bits(0x7f800000u));
    const Float nan = Lanes::from_bits(Lanes::set_bits(0x7fc00000u));
    Lanes::store(row.divisors.data() + head, Lanes::select(is_finite, Lanes::add(sums[0], sink), nan));
  }

  static Float load_sinks(const AttentionRow& row, u32 head) {
    std::array<float, kWidth> sinks{};
    for (u32 i = head; i < std::min(head + kWidth, row.heads()); ++i) sinks[i - head] = row.sink[i];
    return Lanes::load(sinks.data());
  }

  // Columns [column, column + kColumnVectors * kWidth) of n_heads heads. o holds the total until the last group.
  template <u32 n_heads>
  static void add_group(const AttentionRow& row, const Group& group, u32 head, u32 column, float* o) {
    const u32 heads = row.padded_heads();
    std::array<Float, n_heads * kColumnVectors> acc;
    for (Float& sum : acc) sum = Lanes::set(0.0f);
    const float* values = row.entries.data() + u64{group.first} * kStride + column;
    const float* weights = row.weights.data() + u64{group.first} * heads + head;
    for (u32 j = group.first; j < group.end; ++j, values += kStride, weights += heads) {
      std::array<Float, kColumnVectors> value;
      for (u32 v = 0; v < kColumnVectors; ++v) value[v] = Lanes::load(values + v * kWidth);
      for (u32 h = 0; h < n_heads; ++h) {
        const Float weight = Lanes::set(weights[h]);
        for (u32 v = 0; v < kColumnVectors; ++v) {
          Float& sum = acc[h * kColumnVectors + v];
          sum = Lanes::fma(weight, value[v], sum);
        }
      }
    }
    for (u32 h = 0; h < n_heads; ++h) {
      const Float divisor = Lanes::set(row.divisors[head + h]);
      for (u32 v = 0; v < kColumnVectors; ++v) {
        float* at = o + u64{head + h} * kHeadDim + column + v * kWidth;
        const Float sum = acc[h * kColumnVectors + v];
        const Float total = group.first == 0 ? sum : Lanes::add(Lanes::load(at), sum);
        Lanes::store(at, group.is_last ? Functions::bf16(Lanes::div(total, divisor)) : total);
      }
    }
  }
};

}  // namespace
}  // namespace bolide::backends::cpu
