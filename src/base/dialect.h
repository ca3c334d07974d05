// The kernel dialect: what a function may use that CPU, CUDA and Metal kernels share
// (docs/decisions/0003-kernel-dialect.md). Values in, values out, the fixed-width types below, the operations of
// namespace dialect; no std, no pointers, no double, no constants at namespace scope. Read by g++, clang and nvcc in
// CI; the Metal reading joins with the GPU backends.
#pragma once

#if defined(__CUDACC__)
#define BOLIDE_FN __host__ __device__ inline
#else
#define BOLIDE_FN inline
#endif

#include "base/types.h"

#if !defined(__CUDA_ARCH__)
#include <bit>
#include <cmath>
#endif

namespace bolide {
namespace dialect {

#if defined(__CUDA_ARCH__)
BOLIDE_FN float fma(float a, float b, float c) {
  return __fmaf_rn(a, b, c);
}
BOLIDE_FN float sqrt(float a) {
  return __fsqrt_rn(a);
}
BOLIDE_FN float div(float a, float b) {
  return __fdiv_rn(a, b);
}
BOLIDE_FN float rint(float a) {
  return rintf(a);
}
BOLIDE_FN u32 bits(float a) {
  return __float_as_uint(a);
}
BOLIDE_FN float from_bits(u32 a) {
  return __uint_as_float(a);
}
#else
BOLIDE_FN float fma(float a, float b, float c) {
  return std::fma(a, b, c);
}
BOLIDE_FN float sqrt(float a) {
  return std::sqrt(a);
}
BOLIDE_FN float div(float a, float b) {
  return a / b;
}
// Round to nearest, ties to even.
BOLIDE_FN float rint(float a) {
  return std::nearbyint(a);
}
BOLIDE_FN u32 bits(float a) {
  return std::bit_cast<u32>(a);
}
BOLIDE_FN float from_bits(u32 a) {
  return std::bit_cast<float>(a);
}
#endif

// |a|, by clearing the sign bit (also of NaN).
BOLIDE_FN float magnitude(float a) {
  return from_bits(bits(a) & 0x7fffffffu);
}
// Neither NaN nor infinity.
BOLIDE_FN bool is_finite(float a) {
  return (bits(a) & 0x7fffffffu) < 0x7f800000u;
}

}  // namespace dialect
}  // namespace bolide
