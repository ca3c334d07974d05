// What differs between the arithmetics REF, plain and A1 (design: arithmetic.md): the mechanisms of one token, as pure
// functions. The wiring around them (model/forward.h) and everything that is exact or ordered alike (rope rotation,
// quantized rows, selection, index scores, streams, mixture sum) is shared, because A1 follows REF's formulas and
// rounding points.
//
// All activations are spans of binary32 holding BF16 values unless said otherwise. Non-finite inputs give non-finite
// results.
#pragma once
#include <array>
#include <span>

#include "model/weights.h"

namespace bolide::model {

// mHC coefficients of one sub-block (spec model.md 3.3): C[a][b] carries stream a to stream b.
struct Mix {
  std::array<float, 4> pre;
  std::array<float, 4> post;
  std::array<float, 16> carry;  // C, row-major
};

// Cosine and sine of the 32 rotation pairs of one position.
struct RopeRow {
  std::array<float, 32> cos;
  std::array<float, 32> sin;
};

enum class RopeKind : u8 {
  kPlain,       // layers of ratio 0 and draft stages
  kCompressed,  // layers with compressed caches: their own base, YaRN
};

struct RoutedExpert {
  u32 expert;
  float weight;
};

class Arithmetic {
 public:
  virtual ~Arithmetic() = default;

  // y = bf16(W x) for the rows [first_row, first_row + y.size()) of W; x enters quantized as the arithmetic says.
  virtual void linear(const Matrix& w, u32 first_row, std::span<const float> x, std::span<float> y) const = 0;
  // The same for wo_a, whose input REF does not quantize.
  virtual void output_group(const Matrix& w, u32 first_row, std::span<const float> x, std::span<float> y) const = 0;
  // y = W x in binary32: the output head and the Markov head.
  virtual void logits(const Matrix& w, std::span<const float> x, std::span<float> y) const = 0;
  // y = W x in binary32, float weights.
  virtual void float_linear(const FloatMatrix& w, std::span<const float> x, std::span<float> y) const = 0;

  // y = bf16(w * (x * rsqrt(mean(x^2) + eps))). y may be x.
  virtual void norm(std::span<const float> x, std::span<const float> w, std::span<float> y) const = 0;
  // h: the four streams, stream-major.
  virtual Mix mix(std::span<const float> h, const MixWeights& weights) const = 0;
  // One stream h += g * value (spec 3.2 step 3 and 4), in place.
  virtual void engram_gate(std::span<float> h, std::span<const float> key, std::span<const float> value,
                           std::span<const float> q_weight, std::span<const float> k_weight) const = 0;
  virtual RopeRow rope_row(RopeKind kind, u64 position) const = 0;
  // Pools the keys of an even and an odd token by their gates (spec 3.5, ratio 2); k and g binary32, result bf16.
  virtual void pool_pair(std::span<const float> even_key, std::span<const float> even_gate,
                         std::span<const float> odd_key, std::span<const float> odd_gate,
                         std::span<float> latent) const = 0;
  // Sparse attention of all heads over one list of entries (spec 3.7). q: [heads][head size]; entries: [n][head size],
  // keys and values in list order, n >= 1; sink: [heads]; o: as q.
  virtual void attend(std::span<const float> q, std::span<const float> entries, std::span<const float> sink,
                      float scale, std::span<float> o) const = 0;
  // The `n_used` experts of router logits, ascending, with their weights (spec 3.9 steps 1 and 2).
  virtual std::vector<RoutedExpert> route(std::span<const float> logits, std::span<const float> bias,
                                          u32 n_used) const = 0;
  // y = bf16(weight * (silu(min(g, limit)) * clamp(u, limit))) (spec 3.9 step 3).
  virtual void swiglu(std::span<const float> gate, std::span<const float> up, float weight,
                      std::span<float> y) const = 0;
};

}  // namespace bolide::model
