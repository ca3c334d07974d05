// The compressor's pair softmax of A1 (spec model.md 3.5; design: arithmetic.md rule 4).
#include <algorithm>

#include "arith/bf16.h"
#include "arith/functions.h"
#include "model/oracle/mechanisms.h"
#include "model/oracle/oracle_arithmetic.h"

namespace bolide::model {

float oracle::pool_pair(float even_key, float even_gate, float odd_key, float odd_gate) {
  const float largest = std::max(even_gate, odd_gate);
  const float even = arith::exp(even_gate - largest);
  const float odd = arith::exp(odd_gate - largest);
  const float sum = even + odd;
  return (even / sum) * even_key + (odd / sum) * odd_key;
}

void OracleArithmetic::pool_pair(std::span<const float> even_key, std::span<const float> even_gate,
                                 std::span<const float> odd_key, std::span<const float> odd_gate,
                                 std::span<float> latent) const {
  for (std::size_t i = 0; i < latent.size(); ++i) {
    latent[i] = arith::bf16(oracle::pool_pair(even_key[i], even_gate[i], odd_key[i], odd_gate[i]));
  }
}

}  // namespace bolide::model
