#include "model/streams.h"

#include "arith/bf16.h"

namespace bolide::model {

Streams::Streams(std::span<const float> embedding) : pre{1.0f, 0.0f, 0.0f, 0.0f} {
  h.reserve(4 * embedding.size());
  for (int c = 0; c < 4; ++c) h.insert(h.end(), embedding.begin(), embedding.end());
}

std::vector<float> collapse(const Streams& streams) {
  const std::size_t dim = streams.dim();
  const float* h = streams.h.data();
  std::vector<float> x(dim);
  for (std::size_t i = 0; i < dim; ++i) {
    float t = streams.pre[0] * h[i];
    for (std::size_t c = 1; c < 4; ++c) t = dialect::fma(streams.pre[c], h[c * dim + i], t);
    x[i] = arith::bf16(t);
  }
  return x;
}

void expand(const Mix& mix, std::span<const float> y, Streams& streams) {
  const std::size_t dim = streams.dim();
  float* h = streams.h.data();
  for (std::size_t i = 0; i < dim; ++i) {
    const std::array<float, 4> old = {h[i], h[dim + i], h[2 * dim + i], h[3 * dim + i]};
    for (std::size_t b = 0; b < 4; ++b) {
      float t = mix.post[b] * y[i];
      for (std::size_t a = 0; a < 4; ++a) t = dialect::fma(mix.carry[4 * a + b], old[a], t);
      h[b * dim + i] = arith::bf16(t);
    }
  }
  streams.pre = mix.pre;
}

std::vector<float> tap_mean(const Streams& streams) {
  const std::size_t dim = streams.dim();
  const float* h = streams.h.data();
  std::vector<float> tap(dim);
  for (std::size_t i = 0; i < dim; ++i) {
    tap[i] = arith::bf16((((h[i] + h[dim + i]) + h[2 * dim + i]) + h[3 * dim + i]) * 0.25f);
  }
  return tap;
}

}  // namespace bolide::model
