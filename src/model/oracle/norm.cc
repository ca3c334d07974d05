// RMS norm of A1 (design: arithmetic.md rule 4).
#include "arith/bf16.h"
#include "arith/functions.h"
#include "arith/reductions.h"
#include "model/oracle/mechanisms.h"
#include "model/oracle/oracle_arithmetic.h"

namespace bolide::model {

float oracle::inverse_rms(std::span<const float> x, float eps) {
  const float mean = arith::ordered_sum_of_squares(x) / static_cast<float>(x.size());
  return arith::rsqrt(mean + eps);
}

void oracle::norm(std::span<const float> x, std::span<const float> w, float eps, std::span<float> y) {
  const float r = inverse_rms(x, eps);
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = arith::bf16(w[i] * (x[i] * r));
}

void OracleArithmetic::norm(std::span<const float> x, std::span<const float> w, std::span<float> y) const {
  oracle::norm(x, w, norm_eps_, y);
}

}  // namespace bolide::model
