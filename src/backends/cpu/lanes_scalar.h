// Eight lanes in plain C++, and with them what a set of lanes is. Kernels that are the same for every instruction set
// are written once over these operations; what each means is what the plain C++ says. Float lanes are binary32, each
// operation rounded once; Int lanes are 32 bits, compared as signed numbers.
//
// Like the lanes of the other instruction sets only included by the kernels' own files, each of which is compiled with
// its own flags: everything has internal linkage, so that the linker never puts one set's code into another's place.
#pragma once
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/types.h"

namespace bolide::backends::cpu {
namespace {

struct ScalarLanes {
  static constexpr u32 kWidth = 8;
  static constexpr u32 kRegisters = 4;  // the compiler keeps more of these arrays in memory
  using Float = std::array<float, kWidth>;
  using Int = std::array<u32, kWidth>;
  using Mask = std::array<bool, kWidth>;

  static Float load(const float* at) {
    return each<Float>([&](u32 i) { return at[i]; });
  }
  static Float load_bf16(const u16* at) { return from_bits(shift_left<16>(load_u16(at))); }
  static void store(float* at, const Float& a) { std::memcpy(at, a.data(), sizeof a); }
  static Float set(float a) {
    return each<Float>([&](u32) { return a; });
  }
  static Int set_bits(u32 a) {
    return each<Int>([&](u32) { return a; });
  }

  static Float add(const Float& a, const Float& b) {
    return each<Float>([&](u32 i) { return a[i] + b[i]; });
  }
  static Float sub(const Float& a, const Float& b) {
    return each<Float>([&](u32 i) { return a[i] - b[i]; });
  }
  static Float mul(const Float& a, const Float& b) {
    return each<Float>([&](u32 i) { return a[i] * b[i]; });
  }
  static Float div(const Float& a, const Float& b) {
    return each<Float>([&](u32 i) { return a[i] / b[i]; });
  }
  // a * b + c.
  static Float fma(const Float& a, const Float& b, const Float& c) {
    return each<Float>([&](u32 i) { return std::fma(a[i], b[i], c[i]); });
  }
  // To the nearest integer, ties to even.
  static Float rint(const Float& a) {
    return each<Float>([&](u32 i) { return std::nearbyint(a[i]); });
  }
  // Of finite values; of zeros either.
  static Float max(const Float& a, const Float& b) {
    return each<Float>([&](u32 i) { return a[i] > b[i] ? a[i] : b[i]; });
  }

  static Int bits(const Float& a) { return std::bit_cast<Int>(a); }
  static Float from_bits(const Int& a) { return std::bit_cast<Float>(a); }
  static Int both(const Int& a, const Int& b) {
    return each<Int>([&](u32 i) { return a[i] & b[i]; });
  }
  static Int either(const Int& a, const Int& b) {
    return each<Int>([&](u32 i) { return a[i] | b[i]; });
  }
  static Int add(const Int& a, const Int& b) {
    return each<Int>([&](u32 i) { return a[i] + b[i]; });
  }
  static Int sub(const Int& a, const Int& b) {
    return each<Int>([&](u32 i) { return a[i] - b[i]; });
  }
  static Int max(const Int& a, const Int& b) {
    return each<Int>([&](u32 i) { return is_less(a[i], b[i]) ? b[i] : a[i]; });
  }
  template <u32 n>
  static Int shift_left(const Int& a) {
    return each<Int>([&](u32 i) { return a[i] << n; });
  }
  // Zeros come in from the left.
  template <u32 n>
  static Int shift_right(const Int& a) {
    return each<Int>([&](u32 i) { return a[i] >> n; });
  }
  static Float to_float(const Int& a) {
    return each<Float>([&](u32 i) { return static_cast<float>(static_cast<i32>(a[i])); });
  }
  // Of integral values; of those that do not fit, and NaN, the bits 0x80000000.
  static Int to_int(const Float& a) {
    return each<Int>([&](u32 i) {
      return a[i] >= -0x1p31f && a[i] < 0x1p31f ? static_cast<u32>(static_cast<i32>(a[i])) : 0x80000000u;
    });
  }

  static Mask greater(const Float& a, const Float& b) {
    return each<Mask>([&](u32 i) { return a[i] > b[i]; });
  }
  static Mask not_less(const Float& a, const Float& b) {
    return each<Mask>([&](u32 i) { return a[i] >= b[i]; });
  }
  static Mask less(const Int& a, const Int& b) {
    return each<Mask>([&](u32 i) { return is_less(a[i], b[i]); });
  }
  // a where the mask says so, else b.
  static Float select(const Mask& m, const Float& a, const Float& b) {
    return each<Float>([&](u32 i) { return m[i] ? a[i] : b[i]; });
  }
  static Int select(const Mask& m, const Int& a, const Int& b) {
    return each<Int>([&](u32 i) { return m[i] ? a[i] : b[i]; });
  }

  // The largest lane, and the sum of the lanes.
  static u32 largest(const Int& a) {
    u32 largest = a[0];
    for (const u32 lane : a) largest = is_less(largest, lane) ? lane : largest;
    return largest;
  }
  static i32 total(const Int& a) {
    u32 sum = 0;
    for (const u32 lane : a) sum += lane;
    return static_cast<i32>(sum);
  }

  // One byte or two for each lane, extended by zeros; of each lane the low byte or two.
  static Int load_u8(const void* at) { return load_as<u8>(at); }
  static Int load_u16(const void* at) { return load_as<u16>(at); }
  static void store_u8(void* at, const Int& a) { store_as<u8>(at, a); }
  static void store_u16(void* at, const Int& a) { store_as<u16>(at, a); }
  // Four bits for each lane, the low ones of a byte first.
  static Int load_nibbles(const void* at) {
    const auto* pairs = static_cast<const u8*>(at);
    return each<Int>([&](u32 i) { return (u32{pairs[i / 2]} >> (4 * (i % 2))) & 15u; });
  }

 private:
  template <class Lanes, class Function>
  static Lanes each(Function lane) {
    Lanes lanes;
    for (u32 i = 0; i < kWidth; ++i) lanes[i] = lane(i);
    return lanes;
  }
  static bool is_less(u32 a, u32 b) { return static_cast<i32>(a) < static_cast<i32>(b); }
  template <class Number>
  static Int load_as(const void* at) {
    std::array<Number, kWidth> numbers;
    std::memcpy(numbers.data(), at, sizeof numbers);
    return each<Int>([&](u32 i) { return u32{numbers[i]}; });
  }
  template <class Number>
  static void store_as(void* at, const Int& a) {
    const auto numbers = each<std::array<Number, kWidth>>([&](u32 i) { return static_cast<Number>(a[i]); });
    std::memcpy(at, numbers.data(), sizeof numbers);
  }
};

}  // namespace
}  // namespace bolide::backends::cpu
