// The loops of vector_ops, written once for all instruction sets.
//
// Only included by the kernels' own files (backends/cpu/lanes_scalar.h says why).
#pragma once
#include <array>

#include "backends/cpu/lane_functions.h"
#include "backends/cpu/vector_ops.h"

namespace bolide::backends::cpu {
namespace {

// Rule 4: element i goes to accumulator i mod 256 in ascending order, then the 256 are halved to one.
template <class Lanes>
struct OrderedSum {
  using Float = typename Lanes::Float;
  static constexpr u32 kWidth = Lanes::kWidth;
  static constexpr u32 kAccumulators = 256;

  // add(lanes, i) adds elements [i, i + kWidth), add_one(value, i) element i.
  template <class Add, class AddOne>
  static float over(u32 n, Add add, AddOne add_one) {
    std::array<Float, kAccumulators / kWidth> sums;
    for (Float& sum : sums) sum = Lanes::set(0.0f);
    u32 i = 0;
    for (; i + kAccumulators <= n; i += kAccumulators) {
      for (u32 v = 0; v < sums.size(); ++v) sums[v] = add(sums[v], i + v * kWidth);
    }
    for (u32 v = 0; i + kWidth <= n; ++v, i += kWidth) sums[v] = add(sums[v], i);
    alignas(64) std::array<float, kAccumulators> p;
    for (u32 v = 0; v < sums.size(); ++v) Lanes::store(p.data() + v * kWidth, sums[v]);
    for (; i < n; ++i) p[i % kAccumulators] = add_one(p[i % kAccumulators], i);
    return fold(p);
  }

 private:
  static float fold(std::array<float, kAccumulators>& p) {
    u32 half = kAccumulators / 2;
    for (; half >= kWidth; half /= 2) {
      for (u32 i = 0; i < half; i += kWidth) {
        Lanes::store(p.data() + i, Lanes::add(Lanes::load(p.data() + i), Lanes::load(p.data() + half + i)));
      }
    }
    for (; half > 0; half /= 2) {
      for (u32 i = 0; i < half; ++i) p[i] = p[i] + p[half + i];
    }
    return p[0];
  }
};

template <class Lanes>
struct Loops {
  using Float = typename Lanes::Float;
  using Int = typename Lanes::Int;
  using Functions = LaneFunctions<Lanes>;
  static constexpr u32 kWidth = Lanes::kWidth;

  static float sum(const float* x, u32 n) {
    return OrderedSum<Lanes>::over(
        n, [x](Float p, u32 i) { return Lanes::add(p, Lanes::load(x + i)); }, [x](float p, u32 i) { return p + x[i]; });
  }

  static float dot(const float* x, const float* y, u32 n) {
    return OrderedSum<Lanes>::over(
        n, [x, y](Float p, u32 i) { return Lanes::fma(Lanes::load(x + i), Lanes::load(y + i), p); },
        [x, y](float p, u32 i) { return __builtin_fmaf(x[i], y[i], p); });
  }

  static float weighted_dot(const float* a, const float* b, const float* x, const float* y, u32 n) {
    return OrderedSum<Lanes>::over(
        n,
        [=](Float p, u32 i) {
          const Float weight = Lanes::mul(Lanes::load(a + i), Lanes::load(b + i));
          return Lanes::fma(Lanes::mul(weight, Lanes::load(x + i)), Lanes::load(y + i), p);
        },
        [=](float p, u32 i) { return __builtin_fmaf((a[i] * b[i]) * x[i], y[i], p); });
  }

  static void round_to_bf16(float* x, u32 n) {
    for (u32 i = 0; i < n; i += kWidth) Lanes::store(x + i, Functions::bf16(Lanes::load(x + i)));
  }

  static void scale(const float* x, float factor, const float* w, float* y, u32 n) {
    const Float r = Lanes::set(factor);
    for (u32 i = 0; i < n; i += kWidth) {
      const Float scaled = Lanes::mul(Lanes::load(x + i), r);
      Lanes::store(y + i, Functions::bf16(Lanes::mul(Lanes::load(w + i), scaled)));
    }
  }

  static void add_scaled(float* x, float factor, const float* y, u32 n) {
    const Float g = Lanes::set(factor);
    for (u32 i = 0; i < n; i += kWidth) {
      const Float sum = Lanes::add(Lanes::load(x + i), Lanes::mul(g, Lanes::load(y + i)));
      Lanes::store(x + i, Functions::bf16(sum));
    }
  }

  static void collapse(const float* h, const float* pre, float* x, u32 n) {
    for (u32 i = 0; i < n; i += kWidth) {
      Float t = Lanes::mul(Lanes::set(pre[0]), Lanes::load(h + i));
      for (u32 c = 1; c < 4; ++c) t = Lanes::fma(Lanes::set(pre[c]), Lanes::load(h + u64{c} * n + i), t);
      Lanes::store(x + i, Functions::bf16(t));
    }
  }

  static void expand(float* h, const float* post, const float* carry, const float* y, u32 n) {
    for (u32 i = 0; i < n; i += kWidth) {
      std::array<Float, 4> old;
      for (u32 a = 0; a < 4; ++a) old[a] = Lanes::load(h + u64{a} * n + i);
      const Float output = Lanes::load(y + i);
      for (u32 b = 0; b < 4; ++b) {
        Float t = Lanes::mul(Lanes::set(post[b]), output);
        for (u32 a = 0; a < 4; ++a) t = Lanes::fma(Lanes::set(carry[4 * a + b]), old[a], t);
        Lanes::store(h + u64{b} * n + i, Functions::bf16(t));
      }
    }
  }

  static void tap(const float* h, float* x, u32 n) {
    for (u32 i = 0; i < n; i += kWidth) {
      Float sum = Lanes::load(h + i);
      for (u32 c = 1; c < 4; ++c) sum = Lanes::add(sum, Lanes::load(h + u64{c} * n + i));
      Lanes::store(x + i, Functions::bf16(Lanes::mul(sum, Lanes::set(0.25f))));
    }
  }

  static void swiglu(const float* gate, const float* up, float weight, float limit, float* y, u32 n) {
    const Float most = Lanes::set(limit);
    const Float factor = Lanes::set(weight);
    for (u32 i = 0; i < n; i += kWidth) {
      const Float unbounded = Lanes::load(gate + i);
      const Float g = Lanes::select(Lanes::greater(unbounded, most), most, unbounded);
      const Float u = Functions::clamp_magnitude(Lanes::load(up + i), most);
      Lanes::store(y + i, Functions::bf16(Lanes::mul(factor, Lanes::mul(Functions::silu(g), u))));
    }
  }

  static void pool_pair(const float* even_key, const float* even_gate, const float* odd_key, const float* odd_gate,
                        float* latent, u32 n) {
    for (u32 i = 0; i < n; i += kWidth) {
      const Float even_logit = Lanes::load(even_gate + i);
      const Float odd_logit = Lanes::load(odd_gate + i);
      const Float largest = Lanes::select(Lanes::greater(odd_logit, even_logit), odd_logit, even_logit);
      const Float even = Functions::exp(Lanes::sub(even_logit, largest));
      const Float odd = Functions::exp(Lanes::sub(odd_logit, largest));
      const Float both = Lanes::add(even, odd);
      const Float even_share = Lanes::mul(Lanes::div(even, both), Lanes::load(even_key + i));
      const Float odd_share = Lanes::mul(Lanes::div(odd, both), Lanes::load(odd_key + i));
      Lanes::store(latent + i, Functions::bf16(Lanes::add(even_share, odd_share)));
    }
  }

  static void group_maxima(const float* x, u32 group, u32* maxima, u32 n) {
    for (u32 first = 0; first < n; first += group) {
      Int largest = Lanes::set_bits(0);
      for (u32 i = first; i < first + group; i += kWidth) {
        largest = Lanes::max(largest, Functions::magnitude_bits(Lanes::load(x + i)));
      }
      *maxima++ = Lanes::largest(largest);
    }
  }

  static void activation_codes(const float* x, const float* inverses, i8* codes, i32* sums, u32 n) {
    for (u32 first = 0; first < n; first += 32) {
      const Float inverse = Lanes::set(*inverses++);
      Int sum = Lanes::set_bits(0);
      for (u32 i = first; i < first + 32; i += kWidth) {
        const Int code = Lanes::to_int(Lanes::rint(Lanes::mul(Lanes::load(x + i), inverse)));
        sum = Lanes::add(sum, code);
        Lanes::store_u8(codes + i, code);
      }
      *sums++ = Lanes::total(sum);
    }
  }

  static void e4m3_codes(const float* x, const float* scales, std::byte* codes, u32 n) {
    for (u32 i = 0; i < n; i += kWidth) {
      Lanes::store_u8(codes + i, Functions::e4m3_code(Lanes::div(Lanes::load(x + i), Lanes::set(scales[i / 32]))));
    }
  }

  static void e2m1_codes(const float* x, const float* scales, u32 group, std::byte* codes, u32 n) {
    std::array<u8, kWidth> lanes;
    for (u32 i = 0; i < n; i += kWidth) {
      // Below 2^-126 is a zero of its sign (Q4i); Q4k's scales make it one by themselves.
      const Float value = Lanes::load(x + i);
      const Float zero = Lanes::from_bits(Lanes::both(Lanes::bits(value), Lanes::set_bits(0x80000000u)));
      const auto is_subnormal = Lanes::less(Functions::magnitude_bits(value), Lanes::set_bits(0x00800000u));
      const Float quotient = Lanes::div(Lanes::select(is_subnormal, zero, value), Lanes::set(scales[i / group]));
      Lanes::store_u8(lanes.data(), Functions::e2m1_code(quotient));
      for (u32 lane = 0; lane < kWidth; lane += 2) {
        codes[(i + lane) / 2] = static_cast<std::byte>(lanes[lane] | (lanes[lane + 1] << 4));
      }
    }
  }

  static constexpr VectorLoops kTable = {
      sum,    dot,       weighted_dot, round_to_bf16,    scale,      add_scaled, collapse, expand, tap,
      swiglu, pool_pair, group_maxima, activation_codes, e4m3_codes, e2m1_codes,
  };
};

}  // namespace
}  // namespace bolide::backends::cpu
