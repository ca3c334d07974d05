// What the kernels of index_score share: the walk over rows and blocks, and everything after the integer sums. An
// instruction set `Isa` gives
//
//   using Lanes = ...;
//   // The keys of kWidth rows of a tile as bytes from 0 to 24 (twice the E2M1 value, plus 12): [group][8 times four
//   // columns][row][4]. `codes` are those of the first of these rows in group 0.
//   static void unpack(const std::byte* codes, u8* keys);
//   // The sums of one group for heads [head, head + n_heads).
//   template <u32 n_heads>
//   static std::array<Int, n_heads> sums(const IndexQuery& query, u32 head, u32 group, const u8* keys);
//
// Only included by the kernels' own files (backends/cpu/lanes_scalar.h says why).
#pragma once
#include <algorithm>
#include <array>

#include "backends/cpu/index_score.h"
#include "backends/cpu/lane_functions.h"

namespace bolide::backends::cpu {
namespace {

constexpr u32 kTileRows = 32;
constexpr u32 kGroups = model::kIndexGroups;
constexpr u32 kGroupTileBytes = kTileRows * 16;  // codes of a tile's group

template <class Isa>
struct IndexScoreKernel {
  using Lanes = typename Isa::Lanes;
  using Float = typename Lanes::Float;
  using Int = typename Lanes::Int;
  using Functions = LaneFunctions<Lanes>;
  static constexpr u32 kWidth = Lanes::kWidth;
  static constexpr u32 kHeadsAtOnce = std::min(8u, Lanes::kRegisters / 4);
  using Ranks = std::array<u16, kWidth>;

  static void rows(const IndexQuery& query, const IndexKeys& keys, PartRange rows, u16* ranks) {
    for (u32 first = rows.first; first < rows.end; first += kWidth) {
      const Ranks group = score(query, keys, first);
      std::copy_n(group.data(), std::min(kWidth, rows.end - first), ranks + (first - rows.first));
    }
  }

  static void blocks(const IndexQuery& query, const IndexKeys& keys, std::span<const u32> blocks, u32 block_size,
                     u32 visible, u16* ranks) {
    constexpr u32 kNone = ~0u;
    u32 scored = kNone;  // the first of the rows whose ranks are at hand
    Ranks group{};
    for (const u32 block : blocks) {
      for (u32 row = block * block_size; row < (block + 1) * block_size; ++row, ++ranks) {
        *ranks = kNoRank;
        if (row >= visible) continue;
        if (row / kWidth * kWidth != scored) {
          scored = row / kWidth * kWidth;
          group = score(query, keys, scored);
        }
        *ranks = group[row % kWidth];
      }
    }
  }

 private:
  // Rows [first, first + kWidth). Those that are not there yet get some rank, which nobody reads.
  static Ranks score(const IndexQuery& query, const IndexKeys& keys, u32 first) {
    const model::IndexPage& page = keys.pages[first / keys.rows_per_page];
    const u32 in_page = first % keys.rows_per_page;
    const u32 tile = in_page / kTileRows;
    const u32 row = in_page % kTileRows;
    alignas(64) std::array<u8, u64{kWidth} * model::kIndexHeadDim> unpacked;
    Isa::unpack(page.codes + u64{tile} * kGroups * kGroupTileBytes + row * 16, unpacked.data());
    std::array<Float, kGroups> scales;
    for (u32 group = 0; group < kGroups; ++group) {
      scales[group] = scale_values(page.scales + (u64{tile} * kGroups + group) * kTileRows + row);
    }
    return ranks(fold_heads(query, unpacked.data(), scales));
  }

  static Float scale_values(const std::byte* codes) {
    const Int code = Lanes::load_u8(codes);
    const Int power = Lanes::template shift_left<23>(code);
    const Int lowest = Lanes::select(Lanes::less(code, Lanes::set_bits(1)), Lanes::set_bits(0x00400000u), power);
    const auto is_nan = Lanes::less(Lanes::set_bits(254), code);
    return Lanes::from_bits(Lanes::select(is_nan, Lanes::set_bits(0x7fc00000u), lowest));
  }

  // The sum over the heads by rule 4: head h goes to accumulator h of 256, which begins as +0. Accumulators without a
  // head are +0 and change no sum, since none is -0.
  static Float fold_heads(const IndexQuery& query, const u8* keys, const std::array<Float, kGroups>& scales) {
    std::array<Float, IndexQuery::kMaxHeads> heads;
    for (u32 head = 0; head < query.padded_heads(); head += kHeadsAtOnce) {
      add_heads(query, head, keys, scales, heads.data() + head);
    }
    u32 n = query.padded_heads();
    for (u32 half = IndexQuery::kMaxHeads / 2; half > 0; half /= 2) {
      for (u32 i = 0; half + i < n; ++i) heads[i] = Lanes::add(heads[i], heads[half + i]);
      n = std::min(n, half);
    }
    return heads[0];
  }

  static void add_heads(const IndexQuery& query, u32 head, const u8* keys, const std::array<Float, kGroups>& scales,
                        Float* out) {
    std::array<Float, kHeadsAtOnce> s;
    for (u32 group = 0; group < kGroups; ++group) {
      const std::array<Int, kHeadsAtOnce> sums = Isa::template sums<kHeadsAtOnce>(query, head, group, keys);
      for (u32 h = 0; h < kHeadsAtOnce; ++h) {
        const Float product = Lanes::mul(Lanes::set(query.scales(head + h)[group]), scales[group]);
        const Float t = Lanes::mul(Lanes::to_float(sums[h]), Lanes::mul(product, Lanes::set(0.25f)));
        s[h] = group == 0 ? t : Lanes::add(s[h], t);
      }
    }
    const Float zero = Lanes::set(0.0f);
    for (u32 h = 0; h < kHeadsAtOnce; ++h) {
      // Rounding keeps the sign, so that what is not positive may go first.
      const Float positive = Functions::bf16_of_positive(Lanes::select(Lanes::greater(s[h], zero), s[h], zero));
      out[h] = Lanes::add(zero, Functions::bf16(Lanes::mul(positive, Lanes::set(query.weight(head + h)))));
    }
  }

  // rank_of() of the sums' BF16 codes.
  static Ranks ranks(Float sums) {
    const Float score = Functions::bf16(sums);
    const Int code = Lanes::template shift_right<16>(Lanes::bits(score));
    const Int magnitude = Lanes::both(code, Lanes::set_bits(0x7fff));
    const auto is_negative = Lanes::less(Lanes::bits(score), Lanes::set_bits(0));
    const Int below = Lanes::sub(Lanes::set_bits(0x7fff), magnitude);
    const Int above = Lanes::add(Lanes::set_bits(0x8000), magnitude);
    const Int signed_rank = Lanes::select(is_negative, below, above);
    const Int rank = Lanes::select(Lanes::less(magnitude, Lanes::set_bits(1)), above, signed_rank);
    const auto is_fault = Lanes::less(Lanes::set_bits(0x7f7f), magnitude);
    Ranks result;
    Lanes::store_u16(result.data(), Lanes::select(is_fault, Lanes::set_bits(kFaultRank), rank));
    return result;
  }
};

}  // namespace
}  // namespace bolide::backends::cpu
