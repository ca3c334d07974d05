// Bits of results, for comparing kernels with the oracle.
#pragma once
#include <span>
#include <vector>

#include "base/dialect.h"

namespace bolide::backends::cpu {

// NaN payloads are no part of the arithmetic: a value that is not finite fails the request.
inline std::vector<u32> bits(std::span<const float> values) {
  std::vector<u32> bits;
  bits.reserve(values.size());
  for (const float value : values) bits.push_back(value != value ? 0x7fc00000u : dialect::bits(value));
  return bits;
}

}  // namespace bolide::backends::cpu
