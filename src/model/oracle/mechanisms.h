// The mechanisms of A1 as plain functions, where OracleArithmetic only binds the model's constants to them. `selftest
// --vectors` replays the test vectors on these (spec: a1-vectors.md).
#pragma once
#include <array>
#include <span>

#include "arith/quantizers.h"
#include "model/arithmetic.h"

namespace bolide::model::oracle {

// Rule 2: rows [first_row, first_row + y.size()) of a quantized matrix times quantized activations, not yet rounded to
// bf16.
void product(const Matrix& w, u32 first_row, const arith::QuantizedActivations& x, std::span<float> y);
// Rule 3: one row of float weights. The number of segments follows from the length.
float float_dot(std::span<const float> w, std::span<const float> x);

// Rule 4: rsqrt of the mean of squares plus eps.
float inverse_rms(std::span<const float> x, float eps);
void norm(std::span<const float> x, std::span<const float> w, float eps, std::span<float> y);

// The coefficients from the 24 scaled products m (spec model.md 3.3).
Mix sinkhorn(std::span<const float, 24> m, std::span<const float> scale, std::span<const float> base, u32 iterations,
             float eps);

// d of the Engram gate (rule 4), before its square root.
float engram_match(std::span<const float> h, std::span<const float> key, std::span<const float> q_weight,
                   std::span<const float> k_weight, float eps);
// One stream h = bf16(h + g * value), g from d.
void engram_add(float d, std::span<const float> value, std::span<float> h);

// One channel of the compressor's pair, binary32, not yet rounded.
float pool_pair(float even_key, float even_gate, float odd_key, float odd_gate);

// Rule 5, one head.
void attend_head(std::span<const float> q, std::span<const float> entries, float sink, float scale, std::span<float> o);

std::vector<RoutedExpert> route(std::span<const float> logits, std::span<const float> bias, u32 n_used, float scale);
float swiglu(float gate, float up, float weight, float limit);

RopeRow rope_row(const std::array<float, 32>& frequencies, u64 position);

}  // namespace bolide::model::oracle
