// The numbers of synthetic models, from a counter: any part of any tensor can be made alone, by any thread or device
// (docs/decisions/0014-synthetic-models.md).
//
// The 16 stored bytes number i of a plane come from Philox4x32-10 with key = seed and counter = (i low word, i high
// word, h low word, h high word), h the FNV-1a 64 of the plane's official tensor name; the words are stored low word
// first, little-endian, and each stored number follows from its own bits.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace bolide::convert {

// How a stored number of `bytes` bytes follows from as many random bits r.
struct NumberRule {
  u32 bytes = 1;
  u32 first = 0;
  u32 spread = 0;        // a mask
  u32 sign = 0;          // the sign bit's mask; 0: no sign
  bool is_int8 = false;  // r itself, but -127 for -128; the fields above do not count
};

// A stretch of a plane whose numbers follow one rule.
struct NumberRun {
  u64 bytes = 0;  // but for the last of a plane, a multiple of 16
  NumberRule rule;
  u64 piece_bytes = 0;  // of one row in one block of tiles (formats/packed_layout.h); 0: plain rows
};

// The codes or the scales of one matrix, vector or expert.
struct NumberPlane {
  std::string name;  // official: `.weight` for codes and values, `.scale` for scales
  std::vector<NumberRun> runs;
  u64 rows = 0;  // of tiles; the rows that fill up the last one are zeros
  u64 bytes() const;
};

u64 fnv1a_64(std::string_view text);

// Bytes [16 * first_group, 16 * first_group + out.size()) of the random bytes of a name.
void fill_random(u64 seed, u64 name_hash, u64 first_group, std::span<std::byte> out);

// Bytes [offset, offset + out.size()) of a plane; offset is a multiple of 16.
void fill_numbers(u64 seed, const NumberPlane& plane, u64 offset, std::span<std::byte> out);

}  // namespace bolide::convert
