#include "convert/synth_numbers.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/philox.h"
#include "formats/packed_layout.h"

namespace bolide::convert {
namespace {

constexpr u64 kGroup = 16;  // bytes of one Philox block
constexpr u64 kLanes = 8;   // blocks made side by side, so that the compiler vectorizes

// `n_groups` consecutive blocks (a multiple of kLanes): the same numbers as philox4x32 gives one by one.
void philox_blocks(u64 seed, u64 name_hash, u64 first_group, u64 n_groups, u32* out) {
  for (u64 done = 0; done < n_groups; done += kLanes, out += 4 * kLanes) {
    std::array<u32, kLanes> c0, c1, c2, c3;
    for (u64 i = 0; i < kLanes; ++i) {
      c0[i] = static_cast<u32>(first_group + done + i);
      c1[i] = static_cast<u32>((first_group + done + i) >> 32);
      c2[i] = static_cast<u32>(name_hash);
      c3[i] = static_cast<u32>(name_hash >> 32);
    }
    u32 key0 = static_cast<u32>(seed);
    u32 key1 = static_cast<u32>(seed >> 32);
    for (int round = 0; round < 10; ++round) {
      for (u64 i = 0; i < kLanes; ++i) {
        const u64 product0 = u64{0xD2511F53} * c0[i];
        const u64 product1 = u64{0xCD9E8D57} * c2[i];
        c0[i] = static_cast<u32>(product1 >> 32) ^ c1[i] ^ key0;
        c2[i] = static_cast<u32>(product0 >> 32) ^ c3[i] ^ key1;
        c1[i] = static_cast<u32>(product1);
        c3[i] = static_cast<u32>(product0);
      }
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
    for (u64 i = 0; i < kLanes; ++i) {
      out[4 * i] = c0[i];
      out[4 * i + 1] = c1[i];
      out[4 * i + 2] = c2[i];
      out[4 * i + 3] = c3[i];
    }
  }
}

template <class T>
void apply_rule(const NumberRule& rule, std::span<std::byte> numbers) {
  const T first = static_cast<T>(rule.first);
  const T spread = static_cast<T>(rule.spread);
  const T sign = static_cast<T>(rule.sign);
  for (u64 i = 0; i + sizeof(T) <= numbers.size(); i += sizeof(T)) {
    const T r = load<T>(&numbers[i]);
    store(&numbers[i], static_cast<T>(static_cast<T>(first + (r & spread)) | (r & sign)));
  }
}

void apply_int8_rule(std::span<std::byte> numbers) {
  for (std::byte& number : numbers) {
    const u8 r = static_cast<u8>(number);
    number = static_cast<std::byte>(r + (r == 0x80 ? 1 : 0));
  }
}

void apply(const NumberRule& rule, std::span<std::byte> numbers) {
  if (rule.is_int8) return apply_int8_rule(numbers);
  switch (rule.bytes) {
    case 1:
      return apply_rule<u8>(rule, numbers);
    case 2:
      return apply_rule<u16>(rule, numbers);
    case 4:
      return apply_rule<u32>(rule, numbers);
    default:
      check(false, "numbers have 1, 2 or 4 bytes");
  }
}

// Zeros for the rows that fill up the last tile of a run, as far as they lie in `out`, which begins at `offset` of it.
void clear_padding(const NumberRun& run, u64 rows, u64 offset, std::span<std::byte> out) {
  const u64 used = rows % formats::kTileRows * run.piece_bytes;
  if (used == 0) return;
  const u64 block_bytes = formats::kTileRows * run.piece_bytes;
  const u64 tiles = (rows + formats::kTileRows - 1) / formats::kTileRows;
  const u64 last_tile = run.bytes - run.bytes / tiles;
  const u64 end = offset + out.size();
  const u64 first_block = std::max(last_tile, offset) / block_bytes * block_bytes;
  for (u64 block = first_block; block < end; block += block_bytes) {
    const u64 from = std::max(block + used, offset);
    const u64 to = std::min(block + block_bytes, end);
    if (from < to) std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(from - offset), to - from, std::byte{0});
  }
}

}  // namespace

u64 NumberPlane::bytes() const {
  u64 total = 0;
  for (const NumberRun& run : runs) total += run.bytes;
  return total;
}

u64 fnv1a_64(std::string_view text) {
  u64 hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<u8>(c)) * 0x100000001b3;
  return hash;
}

void fill_random(u64 seed, u64 name_hash, u64 first_group, std::span<std::byte> out) {
  constexpr u64 kBufferGroups = 256;
  std::array<u32, kBufferGroups * 4> words;
  for (u64 group = first_group; !out.empty(); group += kBufferGroups) {
    const u64 n_bytes = std::min<u64>(out.size(), sizeof words);
    const u64 n_groups = (n_bytes + kGroup * kLanes - 1) / (kGroup * kLanes) * kLanes;
    philox_blocks(seed, name_hash, group, n_groups, words.data());
    std::memcpy(out.data(), words.data(), n_bytes);
    out = out.subspan(n_bytes);
  }
}

void fill_numbers(u64 seed, const NumberPlane& plane, u64 offset, std::span<std::byte> out) {
  check(offset % kGroup == 0, "planes are made in whole groups of 16 bytes");
  fill_random(seed, fnv1a_64(plane.name), offset / kGroup, out);
  const u64 end = offset + out.size();
  u64 run_begin = 0;
  for (const NumberRun& run : plane.runs) {
    const u64 from = std::max(run_begin, offset);
    const u64 to = std::min(run_begin + run.bytes, end);
    if (from < to) {
      const std::span<std::byte> part = out.subspan(from - offset, to - from);
      apply(run.rule, part);
      if (run.piece_bytes > 0) clear_padding(run, plane.rows, from - run_begin, part);
    }
    run_begin += run.bytes;
  }
}

}  // namespace bolide::convert
