// Tokens looked up by their bytes.
#pragma once
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace bolide::text {

// Built once by one thread, then read by any.
class WordTable {
 public:
  // Room for `n_words` words.
  explicit WordTable(std::size_t n_words);

  // Adds a word that is not there yet; it is copied. All words together stay below 4 GiB.
  void add(std::string_view word, u32 id);

  std::optional<u32> find(std::string_view word) const {
    const u64 hash = hash_of(word);
    for (std::size_t i = hash >> shift_;; i = (i + 1) & mask_) {
      const Slot& slot = slots_[i];
      if (slot.length == 0) return std::nullopt;
      if (slot.hash == static_cast<u32>(hash) && slot.length == word.size() &&
          std::memcmp(bytes_.data() + slot.begin, word.data(), word.size()) == 0) {
        return slot.id;
      }
    }
  }

 private:
  struct Slot {
    u32 hash = 0;    // low half
    u32 length = 0;  // 0: free
    u32 begin = 0;   // in bytes_
    u32 id = 0;
  };

  static u64 mixed(u64 x) {
    x *= 0x9E3779B97F4A7C15U;
    return x ^ x >> 32;
  }
  template <class T>
  static u64 read(const char* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }

  static u64 hash_of(std::string_view word) {
    const char* at = word.data();
    std::size_t n = word.size();
    u64 hash = n;
    for (; n > 8; at += 8, n -= 8) hash = mixed(hash ^ read<u64>(at));
    u64 tail = 0;
    if (n >= 4) {
      tail = read<u32>(at) | read<u32>(at + n - 4) << 32;
    } else if (n > 0) {
      tail = read<u8>(at) | read<u8>(at + n / 2) << 8 | read<u8>(at + n - 1) << 16;
    }
    return mixed(hash ^ tail) * 0xD6E8FEB86659FD93U;
  }

  std::vector<Slot> slots_;  // open addressing, at most half full
  std::string bytes_;
  std::size_t mask_;
  u32 shift_;
};

}  // namespace bolide::text
