#include "engram/numpy_random.h"

#include <array>

#include "base/check.h"

namespace bolide::engram {
namespace {

__extension__ using u128 = unsigned __int128;

constexpr u128 wide(u64 high, u64 low) {
  return u128{high} << 64 | low;
}

// NumPy's SeedSequence (after M. E. O'Neill's seed_seq alternative): eight words from a seed of one word.
class SeedSequence {
 public:
  explicit SeedSequence(u32 seed) {
    Hash hash{0x43b0d7e5, 0x931e8875};
    pool_[0] = hash(seed);
    for (std::size_t i = 1; i < pool_.size(); ++i) pool_[i] = hash(0);
    for (std::size_t from = 0; from < pool_.size(); ++from) {
      for (std::size_t to = 0; to < pool_.size(); ++to) {
        if (from != to) pool_[to] = mix(pool_[to], hash(pool_[from]));
      }
    }
  }

  std::array<u64, 4> state() const {
    Hash hash{0x8b51f9dd, 0x58f38ded};
    std::array<u64, 4> words;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const u64 low = hash(pool_[2 * i % 4]);
      words[i] = u64{hash(pool_[(2 * i + 1) % 4])} << 32 | low;
    }
    return words;
  }

 private:
  struct Hash {
    u32 constant;
    u32 multiplier;
    u32 operator()(u32 value) {
      value ^= constant;
      constant *= multiplier;
      value *= constant;
      return value ^ value >> 16;
    }
  };

  static u32 mix(u32 x, u32 y) {
    const u32 mixed = 0xca01f9ddU * x - 0x4973f715U * y;
    return mixed ^ mixed >> 16;
  }

  std::array<u32, 4> pool_;
};

// PCG XSL-RR 128/64 (M. E. O'Neill, PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms).
class Pcg64 {
 public:
  explicit Pcg64(const std::array<u64, 4>& seed) : increment_(wide(seed[2], seed[3]) << 1 | 1) {
    step();
    state_ += wide(seed[0], seed[1]);
    step();
  }

  u64 next() {
    step();
    const u64 folded = static_cast<u64>(state_ >> 64) ^ static_cast<u64>(state_);
    const u32 rotation = static_cast<u32>(state_ >> 122);
    return folded >> rotation | folded << (-rotation & 63);
  }

 private:
  void step() { state_ = state_ * wide(0x2360ed051fc65da4, 0x4385df649fccf645) + increment_; }

  u128 state_ = 0;
  u128 increment_;
};

// A number below `bound`, every one as likely: the high half of a product, unless the low half shows a bias.
u64 bounded(Pcg64& generator, u64 bound) {
  const u64 biased = -bound % bound;
  while (true) {
    const u128 product = u128{generator.next()} * bound;
    if (static_cast<u64>(product) >= biased) return static_cast<u64>(product >> 64);
  }
}

}  // namespace

std::vector<u64> numpy_integers(u32 seed, u64 bound, u32 n) {
  check(bound > u64{1} << 32, "NumPy draws 64 bits for bounds above 2^32 only");
  Pcg64 generator(SeedSequence(seed).state());
  std::vector<u64> numbers(n);
  for (u64& number : numbers) number = bounded(generator, bound);
  return numbers;
}

}  // namespace bolide::engram
