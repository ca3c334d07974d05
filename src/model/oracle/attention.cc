// Sparse attention of A1 (spec model.md 3.7; design: arithmetic.md rule 5).
#include <algorithm>
#include <limits>

#include "arith/bf16.h"
#include "arith/functions.h"
#include "arith/reductions.h"
#include "model/oracle/mechanisms.h"
#include "model/oracle/oracle_arithmetic.h"

namespace bolide::model {
namespace {

constexpr std::size_t kValueGroup = 64;

// score[j]: one fma chain over d. The entries' chains run side by side, so entries come with d as the slow index.
std::vector<float> scores_of(std::span<const float> q, std::span<const float> entries_by_dim, std::size_t n,
                             float scale) {
  std::vector<float> scores(n, 0.0f);
  for (std::size_t d = 0; d < q.size(); ++d) {
    const float* column = &entries_by_dim[d * n];
    for (std::size_t j = 0; j < n; ++j) scores[j] = dialect::fma(q[d], column[j], scores[j]);
  }
  for (float& score : scores) score = score * scale;
  return scores;
}

// Sum over entries in groups of 64: inside a group one fma chain per output; the groups are added in order.
std::vector<float> weighted_values(std::span<const float> weights, std::span<const float> entries,
                                   std::size_t head_dim) {
  std::vector<float> total(head_dim, 0.0f);
  for (std::size_t first = 0; first < weights.size(); first += kValueGroup) {
    std::vector<float> group(head_dim, 0.0f);
    for (std::size_t j = first; j < std::min(first + kValueGroup, weights.size()); ++j) {
      const float* value = &entries[j * head_dim];
      for (std::size_t d = 0; d < head_dim; ++d) group[d] = dialect::fma(weights[j], value[d], group[d]);
    }
    for (std::size_t d = 0; d < head_dim; ++d) total[d] = first == 0 ? group[d] : total[d] + group[d];
  }
  return total;
}

std::vector<float> transpose(std::span<const float> entries, std::size_t head_dim) {
  const std::size_t n = entries.size() / head_dim;
  std::vector<float> by_dim(entries.size());
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t d = 0; d < head_dim; ++d) by_dim[d * n + j] = entries[j * head_dim + d];
  }
  return by_dim;
}

void attend_transposed(std::span<const float> q, std::span<const float> entries, std::span<const float> entries_by_dim,
                       float sink, float scale, std::span<float> o) {
  std::vector<float> e = scores_of(q, entries_by_dim, entries.size() / q.size(), scale);
  if (!dialect::is_finite(arith::max_magnitude(e))) {
    std::fill(o.begin(), o.end(), std::numeric_limits<float>::quiet_NaN());
    return;
  }
  const float largest = *std::max_element(e.begin(), e.end());
  for (float& value : e) value = arith::exp(value - largest);
  const float z = arith::ordered_sum(e) + arith::exp(std::min(sink - largest, 64.0f));
  for (float& value : e) value = arith::bf16(value);
  const std::vector<float> total = weighted_values(e, entries, q.size());
  for (std::size_t d = 0; d < o.size(); ++d) o[d] = arith::bf16(total[d] / z);
}

}  // namespace

void oracle::attend_head(std::span<const float> q, std::span<const float> entries, float sink, float scale,
                         std::span<float> o) {
  attend_transposed(q, entries, transpose(entries, q.size()), sink, scale, o);
}

void OracleArithmetic::attend(std::span<const float> q, std::span<const float> entries, std::span<const float> sink,
                              float scale, std::span<float> o) const {
  const std::size_t head_dim = q.size() / sink.size();
  const std::vector<float> entries_by_dim = transpose(entries, head_dim);
  for (std::size_t head = 0; head < sink.size(); ++head) {
    attend_transposed(q.subspan(head * head_dim, head_dim), entries, entries_by_dim, sink[head], scale,
                      o.subspan(head * head_dim, head_dim));
  }
}

}  // namespace bolide::model
