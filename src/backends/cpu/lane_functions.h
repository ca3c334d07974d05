// The functions and number formats of A1 (room arith) over lanes, equal to them in every bit.
//
// Only included by the kernels' own files (backends/cpu/lanes_scalar.h says why).
#pragma once
#include "base/types.h"

namespace bolide::backends::cpu {
namespace {

template <class Lanes>
struct LaneFunctions {
  using Float = typename Lanes::Float;
  using Int = typename Lanes::Int;

  static Int magnitude_bits(const Float& x) { return Lanes::both(Lanes::bits(x), Lanes::set_bits(0x7fffffffu)); }
  static Float magnitude(const Float& x) { return Lanes::from_bits(magnitude_bits(x)); }
  static Float negated_magnitude(const Float& x) {
    return Lanes::from_bits(Lanes::either(Lanes::bits(x), Lanes::set_bits(0x80000000u)));
  }

  // |x| < 2^-40 becomes a zero of its sign.
  static Float flush_tiny(const Float& x) {
    const Int zero = Lanes::both(Lanes::bits(x), Lanes::set_bits(0x80000000u));
    return Lanes::select(Lanes::less(magnitude_bits(x), Lanes::set_bits(0x2b800000u)), Lanes::from_bits(zero), x);
  }

  static Float bf16(const Float& x) {
    const Int b = Lanes::bits(flush_tiny(x));
    const Int odd = Lanes::both(Lanes::template shift_right<16>(b), Lanes::set_bits(1));
    const Int rounded = Lanes::add(Lanes::add(b, Lanes::set_bits(0x7fff)), odd);
    // Rounding may carry a NaN into infinity or zero; it stays what it is, made quiet.
    const Int quiet = Lanes::either(b, Lanes::set_bits(0x00400000u));
    const auto is_nan = Lanes::less(Lanes::set_bits(0x7f800000u), magnitude_bits(x));
    return Lanes::from_bits(Lanes::both(Lanes::select(is_nan, quiet, rounded), Lanes::set_bits(0xffff0000u)));
  }

  // bf16(x) of x that is not negative (nor -0) and not NaN.
  static Float bf16_of_positive(const Float& x) {
    const Int b = Lanes::bits(x);
    const Int odd = Lanes::both(Lanes::template shift_right<16>(b), Lanes::set_bits(1));
    const Int rounded = Lanes::add(Lanes::add(b, Lanes::set_bits(0x7fff)), odd);
    const auto is_tiny = Lanes::less(b, Lanes::set_bits(0x2b800000u));
    const Int code = Lanes::both(rounded, Lanes::set_bits(0xffff0000u));
    return Lanes::from_bits(Lanes::select(is_tiny, Lanes::set_bits(0), code));
  }

  static Float exp(const Float& x) {
    const auto counts = Lanes::not_less(x, Lanes::set(-64.0f));
    const Float zero = Lanes::set(0.0f);
    const Float t = Lanes::select(counts, x, zero);
    const Float n = Lanes::rint(Lanes::mul(t, Lanes::set(0x1.715476p+0f)));
    Float r = Lanes::fma(n, Lanes::set(-0x1.62e4p-1f), t);
    r = Lanes::fma(n, Lanes::set(-0x1.7f7d1cp-20f), r);
    Float p = Lanes::set(0x1.6a2434p-10f);
    p = Lanes::fma(p, r, Lanes::set(0x1.1239e2p-7f));
    p = Lanes::fma(p, r, Lanes::set(0x1.5558f2p-5f));
    p = Lanes::fma(p, r, Lanes::set(0x1.555492p-3f));
    p = Lanes::fma(p, r, Lanes::set(0x1.fffffcp-2f));
    p = Lanes::fma(p, r, Lanes::set(1.0f));
    p = Lanes::fma(p, r, Lanes::set(1.0f));
    const Int power = Lanes::template shift_left<23>(Lanes::add(Lanes::to_int(n), Lanes::set_bits(127)));
    return Lanes::select(counts, Lanes::mul(p, Lanes::from_bits(power)), zero);
  }

  static Float sigmoid(const Float& x) {
    const Float e = exp(negated_magnitude(x));
    const Float one = Lanes::set(1.0f);
    return Lanes::div(Lanes::select(Lanes::not_less(x, Lanes::set(0.0f)), one, e), Lanes::add(one, e));
  }

  static Float silu(const Float& x) { return Lanes::mul(x, sigmoid(x)); }

  // x within [-limit, limit]; NaN stays.
  static Float clamp_magnitude(const Float& x, const Float& limit) {
    const Float negative = Lanes::from_bits(Lanes::either(Lanes::bits(limit), Lanes::set_bits(0x80000000u)));
    const Float above = Lanes::select(Lanes::greater(x, limit), limit, x);
    return Lanes::select(Lanes::greater(negative, x), negative, above);
  }

  // Codes are in the low byte of each lane, or its low four bits.
  static Float e4m3_value(const Int& code) {
    const Int sign = Lanes::template shift_left<24>(Lanes::both(code, Lanes::set_bits(0x80)));
    const Int rest = Lanes::both(code, Lanes::set_bits(0x7f));
    const Int normal = Lanes::add(Lanes::template shift_left<20>(rest), Lanes::set_bits(120u << 23));
    const Float small = Lanes::mul(Lanes::to_float(rest), Lanes::set(0x1p-9f));
    const Int finite = Lanes::select(Lanes::less(rest, Lanes::set_bits(8)), Lanes::bits(small), normal);
    const Int value = Lanes::select(Lanes::less(Lanes::set_bits(0x7e), rest), Lanes::set_bits(0x7fc00000u), finite);
    return Lanes::from_bits(Lanes::either(sign, value));
  }

  static Float e2m1_value(const Int& code) {
    const Int sign = Lanes::template shift_left<28>(Lanes::both(code, Lanes::set_bits(8)));
    const Int rest = Lanes::both(code, Lanes::set_bits(7));
    // An exponent of two bits above a mantissa of one; 0 and 1 have no hidden one: 0 and 0.5.
    const Int normal = Lanes::add(Lanes::template shift_left<22>(rest), Lanes::set_bits(126u << 23));
    const Float small = Lanes::mul(Lanes::to_float(rest), Lanes::set(0.5f));
    const Int value = Lanes::select(Lanes::less(rest, Lanes::set_bits(2)), Lanes::bits(small), normal);
    return Lanes::from_bits(Lanes::either(sign, value));
  }

  // The codes of finite values, the sign of zero kept; saturating.
  static Int e4m3_code(const Float& x) {
    const Int sign = Lanes::both(Lanes::template shift_right<24>(Lanes::bits(x)), Lanes::set_bits(0x80));
    const Int m = magnitude_bits(x);
    const Int odd = Lanes::both(Lanes::template shift_right<20>(m), Lanes::set_bits(1));
    const Int rebiased = Lanes::sub(m, Lanes::set_bits(120u << 23));
    const Int rounded = Lanes::add(Lanes::add(rebiased, Lanes::set_bits(0x7ffff)), odd);
    const Int normal = Lanes::template shift_right<20>(rounded);
    const auto is_small = Lanes::less(m, Lanes::set_bits(0x3c800000u));  // below 2^-6: units of 2^-9
    const Float steps = Lanes::mul(Lanes::select(is_small, magnitude(x), Lanes::set(0.0f)), Lanes::set(512.0f));
    const Int finite = Lanes::select(is_small, Lanes::to_int(Lanes::rint(steps)), normal);
    const auto is_below_448 = Lanes::less(m, Lanes::set_bits(0x43e00000u));
    return Lanes::either(sign, Lanes::select(is_below_448, finite, Lanes::set_bits(0x7e)));
  }

  // The nearest of 0, 0.5, 1, 1.5, 2, 3, 4, 6, ties to the even code.
  static Int e2m1_code(const Float& x) {
    const Int sign = Lanes::both(Lanes::template shift_right<28>(Lanes::bits(x)), Lanes::set_bits(8));
    const Float m = magnitude(x);
    Int code = Lanes::set_bits(0);
    code = Lanes::select(Lanes::greater(m, Lanes::set(0.25f)), Lanes::set_bits(1), code);
    code = Lanes::select(Lanes::not_less(m, Lanes::set(0.75f)), Lanes::set_bits(2), code);
    code = Lanes::select(Lanes::greater(m, Lanes::set(1.25f)), Lanes::set_bits(3), code);
    code = Lanes::select(Lanes::not_less(m, Lanes::set(1.75f)), Lanes::set_bits(4), code);
    code = Lanes::select(Lanes::greater(m, Lanes::set(2.5f)), Lanes::set_bits(5), code);
    code = Lanes::select(Lanes::not_less(m, Lanes::set(3.5f)), Lanes::set_bits(6), code);
    code = Lanes::select(Lanes::greater(m, Lanes::set(5.0f)), Lanes::set_bits(7), code);
    return Lanes::either(sign, code);
  }

  // 2^(code - 127) in every lane.
  static Float e8m0_value(u8 code) {
    if (code == 0) return Lanes::from_bits(Lanes::set_bits(0x00400000u));  // 2^-127, a subnormal
    return Lanes::from_bits(Lanes::set_bits(code == 255 ? 0x7fc00000u : u32{code} << 23));
  }
};

}  // namespace
}  // namespace bolide::backends::cpu
