// Philox4x32-10: random numbers addressed by a key and a counter, never by call order (design: arithmetic.md rule 8).
#pragma once
#include <array>

#include "base/types.h"

namespace bolide {

// The four words of block `counter` of the stream `key` (low word of the key first).
constexpr std::array<u32, 4> philox4x32(u64 key, std::array<u32, 4> counter) {
  u32 key0 = static_cast<u32>(key);
  u32 key1 = static_cast<u32>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const u64 product0 = u64{0xD2511F53} * counter[0];
    const u64 product1 = u64{0xCD9E8D57} * counter[2];
    counter = {static_cast<u32>(product1 >> 32) ^ counter[1] ^ key0, static_cast<u32>(product1),
               static_cast<u32>(product0 >> 32) ^ counter[3] ^ key1, static_cast<u32>(product0)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return counter;
}

}  // namespace bolide
