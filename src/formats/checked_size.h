// Sizes computed from the numbers of an untrusted file: u64 arithmetic that remembers an overflow.
#pragma once
#include <optional>

#include "base/types.h"

namespace bolide::formats {

class CheckedSize {
 public:
  constexpr CheckedSize(u64 value) : value_(value) {}  // a plain size is always a good one

  friend constexpr CheckedSize operator+(CheckedSize a, CheckedSize b) {
    CheckedSize sum(0);
    sum.overflowed_ = __builtin_add_overflow(a.value_, b.value_, &sum.value_) || a.overflowed_ || b.overflowed_;
    return sum;
  }
  friend constexpr CheckedSize operator*(CheckedSize a, CheckedSize b) {
    CheckedSize product(0);
    product.overflowed_ = __builtin_mul_overflow(a.value_, b.value_, &product.value_) || a.overflowed_ || b.overflowed_;
    return product;
  }
  // The next multiple of `unit` (not 0).
  constexpr CheckedSize rounded_up(u64 unit) const {
    const CheckedSize raised = *this + CheckedSize(unit - 1);
    CheckedSize result(raised.value_ / unit * unit);
    result.overflowed_ = raised.overflowed_;
    return result;
  }

  // Nothing where any step went past 2^64 - 1.
  constexpr std::optional<u64> value() const { return overflowed_ ? std::nullopt : std::optional(value_); }

 private:
  u64 value_;
  bool overflowed_ = false;
};

}  // namespace bolide::formats
