// Pooling of a pair of tokens (spec model.md 3.5, ratio 2).
#include <algorithm>
#include <cmath>

#include "arith/bf16.h"
#include "model/reference/functions.h"
#include "model/reference/reference_arithmetic.h"

namespace bolide::model {

// A softmax over two gates, channel by channel.
void ReferenceArithmetic::pool_pair(std::span<const float> even_key, std::span<const float> even_gate,
                                    std::span<const float> odd_key, std::span<const float> odd_gate,
                                    std::span<float> latent) const {
  for (std::size_t i = 0; i < latent.size(); ++i) {
    const float gates[2] = {finite_or_nan(even_gate[i]), finite_or_nan(odd_gate[i])};
    const float max = std::max(gates[0], gates[1]);
    const float even = std::exp(gates[0] - max);
    const float odd = std::exp(gates[1] - max);
    const float sum = even + odd;
    latent[i] = arith::bf16_nearest(even / sum * even_key[i] + odd / sum * odd_key[i]);
  }
}

}  // namespace bolide::model
