// The big model's numbers that the reference arithmetic reads, and small matrices to feed it.
#pragma once
#include <random>
#include <vector>

#include "arith/bf16.h"
#include "model/reference/reference_arithmetic.h"

namespace bolide::model {

inline Config reference_config() {
  Config config;
  config.norm_eps = 1e-20f;
  config.rope_theta = 10000;
  config.compress_rope_theta = 160000;
  config.rope_factor = 16;
  config.beta_fast = 32;
  config.beta_slow = 1;
  config.original_length = 65536;
  config.hc_sinkhorn_iters = 20;
  config.hc_eps = 1e-6f;
  config.route_scale = 1.5f;
  config.swiglu_limit = 10.0f;
  return config;
}

inline ReferenceArithmetic reference() {
  return {reference_config(), ReferenceMode::kRef};
}
inline ReferenceArithmetic plain() {
  return {reference_config(), ReferenceMode::kPlain};
}

// Normal BF16 values.
inline std::vector<float> random_bf16(std::size_t n, u32 seed) {
  std::mt19937 bits(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(n);
  for (float& value : values) value = arith::bf16_nearest(normal(bits));
  return values;
}

}  // namespace bolide::model
