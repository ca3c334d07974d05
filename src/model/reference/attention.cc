// Sparse attention over one list of entries, with an online softmax (spec model.md 3.7).
#include <algorithm>
#include <cmath>

#include "arith/bf16.h"
#include "model/reference/dot.h"
#include "model/reference/functions.h"
#include "model/reference/reference_arithmetic.h"

namespace bolide::model {
namespace {

constexpr std::size_t kBlockEntries = 64;

// One head. m: the running maximum; Z: the sum of the probabilities relative to it; A: the values under them.
void attend_head(std::span<const float> q, std::span<const float> entries, float sink, float scale,
                 std::span<float> o) {
  const std::size_t width = q.size();
  const std::size_t n_entries = entries.size() / width;
  const auto entry = [&](std::size_t j) { return entries.subspan(j * width, width); };
  float m = -1e30f;
  float z = 0;
  std::vector<float> a(width, 0.0f);
  for (std::size_t begin = 0; begin < n_entries; begin += kBlockEntries) {
    const std::size_t n = std::min(kBlockEntries, n_entries - begin);
    std::array<float, kBlockEntries> scores;
    float new_m = m;
    for (std::size_t j = 0; j < n; ++j) {
      scores[j] = finite_or_nan(dot(q, entry(begin + j)) * scale);
      new_m = std::max(new_m, scores[j]);
    }
    const float f = std::exp(m - new_m);
    float sum = 0;
    for (float& x : a) x *= f;
    for (std::size_t j = 0; j < n; ++j) {
      const float e = std::exp(scores[j] - new_m);
      sum += e;
      const float probability = arith::bf16_nearest(e);  // relative to the running maximum, not to the final one
      const std::span<const float> value = entry(begin + j);
      for (std::size_t i = 0; i < width; ++i) a[i] += probability * value[i];
    }
    z = z * f + sum;
    m = new_m;
  }
  z += std::exp(sink - m);
  for (std::size_t i = 0; i < width; ++i) o[i] = arith::bf16_nearest(a[i] / z);
}

}  // namespace

void ReferenceArithmetic::attend(std::span<const float> q, std::span<const float> entries, std::span<const float> sink,
                                 float scale, std::span<float> o) const {
  const std::size_t width = q.size() / sink.size();
  for (std::size_t head = 0; head < sink.size(); ++head) {
    attend_head(q.subspan(head * width, width), entries, sink[head], scale, o.subspan(head * width, width));
  }
}

}  // namespace bolide::model
