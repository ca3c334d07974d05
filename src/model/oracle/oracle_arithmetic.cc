#include "model/oracle/oracle_arithmetic.h"

#include "arith/host_functions.h"
#include "model/oracle/mechanisms.h"

namespace bolide::model {

OracleArithmetic::OracleArithmetic(const Config& config)
    : norm_eps_(config.norm_eps),
      route_scale_(config.route_scale),
      swiglu_limit_(config.swiglu_limit),
      sinkhorn_iterations_(config.hc_sinkhorn_iters),
      mix_eps_(config.hc_eps) {
  const arith::YarnParameters none{1, 1, 1, 0};
  const arith::YarnParameters yarn{config.rope_factor, config.beta_fast, config.beta_slow,
                                   static_cast<double>(config.original_length)};
  frequencies_[static_cast<std::size_t>(RopeKind::kPlain)] = arith::rope_frequencies(config.rope_theta, none);
  frequencies_[static_cast<std::size_t>(RopeKind::kCompressed)] =
      arith::rope_frequencies(config.compress_rope_theta, yarn);
}

RopeRow oracle::rope_row(const std::array<float, 32>& frequencies, u64 position) {
  RopeRow row;
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const arith::SinCos value = arith::sincos(static_cast<float>(position) * frequencies[i]);
    row.cos[i] = value.cos;
    row.sin[i] = value.sin;
  }
  return row;
}

RopeRow OracleArithmetic::rope_row(RopeKind kind, u64 position) const {
  return oracle::rope_row(frequencies_[static_cast<std::size_t>(kind)], position);
}

}  // namespace bolide::model
