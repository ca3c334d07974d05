// What a step does with single vectors between its matrix products (design: arithmetic.md rules 0, 2 and 4): norms,
// streams, gates, quantized rows. One vector is one thread's work.
#pragma once
#include <span>

#include "backends/cpu/instruction_set.h"
#include "model/arithmetic.h"
#include "model/state_layout.h"

namespace bolide::backends::cpu {

// The loops, which differ between instruction sets. n is any number for the sums, a multiple of 16 elsewhere.
struct VectorLoops {
  // Rule 4: the sum of x; of fma(x, y); of fma((a * b) * x, y).
  float (*sum)(const float* x, u32 n);
  float (*dot)(const float* x, const float* y, u32 n);
  float (*weighted_dot)(const float* a, const float* b, const float* x, const float* y, u32 n);

  void (*round_to_bf16)(float* x, u32 n);
  // y = bf16(w * (x * factor)); y may be x.
  void (*scale)(const float* x, float factor, const float* w, float* y, u32 n);
  // x = bf16(x + factor * y).
  void (*add_scaled)(float* x, float factor, const float* y, u32 n);
  // The streams h are [4][n]. x = bf16(sum over c of pre[c] * h[c]).
  void (*collapse)(const float* h, const float* pre, float* x, u32 n);
  // h[b] = bf16(post[b] * y + sum over a of carry[4a + b] * h[a]).
  void (*expand)(float* h, const float* post, const float* carry, const float* y, u32 n);
  // x = bf16 of the mean of the streams.
  void (*tap)(const float* h, float* x, u32 n);
  // y = bf16(weight * (silu(min(gate, limit)) * clamp(up, limit))); y may be gate.
  void (*swiglu)(const float* gate, const float* up, float weight, float limit, float* y, u32 n);
  // The compressor's pair softmax, bf16.
  void (*pool_pair)(const float* even_key, const float* even_gate, const float* odd_key, const float* odd_gate,
                    float* latent, u32 n);

  // The bits of the largest magnitude of each `group` values (16 or 32): of NaN and infinity at least 0x7f800000.
  void (*group_maxima)(const float* x, u32 group, u32* maxima, u32 n);
  // Activations of rule 2, blocks of 32: codes = rint(x * inverse), and their sums.
  void (*activation_codes)(const float* x, const float* inverses, i8* codes, i32* sums, u32 n);
  // x / scale in E4M3, a scale for each 32 values; in E2M1, a scale for each `group`, two codes a byte. x is finite.
  void (*e4m3_codes)(const float* x, const float* scales, std::byte* codes, u32 n);
  void (*e2m1_codes)(const float* x, const float* scales, u32 group, std::byte* codes, u32 n);
};

// The loops for a present instruction set.
const VectorLoops& vector_loops(InstructionSet set);

// y = bf16(w * (x * rsqrt(mean(x^2) + eps))); y may be x.
void norm(const VectorLoops& loops, std::span<const float> x, std::span<const float> w, float eps, std::span<float> y);
// rsqrt of the mean of squares plus eps: the factor of the mHC products.
float inverse_rms(const VectorLoops& loops, std::span<const float> x, float eps);

// One stream h += g * value (spec model.md 3.2), in place.
void engram_gate(const VectorLoops& loops, std::span<float> h, std::span<const float> key, std::span<const float> value,
                 std::span<const float> q_weight, std::span<const float> k_weight, float eps);

// mHC coefficients from the 24 products m, already times inverse_rms (spec model.md 3.3).
model::Mix sinkhorn(std::span<const float, 24> m, std::span<const float> scale, std::span<const float> base,
                    u32 iterations, float eps);

// The rows of the state from finite values, as model/state_layout.h has them.
void encode_window_row(const VectorLoops& loops, std::span<const float, model::kHeadDim> x,
                       std::span<std::byte, model::kWindowRowBytes> row);
void encode_compressed_row(const VectorLoops& loops, std::span<const float, model::kHeadDim> x,
                           std::span<std::byte, model::kCompressedRowBytes> row);
void encode_index_row(const VectorLoops& loops, std::span<const float, model::kIndexHeadDim> x,
                      std::span<std::byte, model::kIndexRowBytes> row);

}  // namespace bolide::backends::cpu
