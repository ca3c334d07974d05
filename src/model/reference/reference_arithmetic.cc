#include "model/reference/reference_arithmetic.h"

#include "model/reference/rope_frequencies.h"

namespace bolide::model {

ReferenceArithmetic::ReferenceArithmetic(const Config& config, ReferenceMode mode)
    : mode_(mode),
      norm_eps_(config.norm_eps),
      mix_eps_(config.hc_eps),
      sinkhorn_iterations_(config.hc_sinkhorn_iters),
      route_scale_(config.route_scale),
      swiglu_limit_(config.swiglu_limit),
      plain_frequencies_(rope_frequencies(config.rope_theta)),
      compressed_frequencies_(yarn_frequencies(config)) {}

}  // namespace bolide::model
