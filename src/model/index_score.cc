#include "model/index_score.h"

#include <array>

#include "arith/quantize.h"
#include "arith/quantizers.h"
#include "arith/reductions.h"

namespace bolide::model {
namespace {

constexpr std::size_t kGroups = kIndexHeadDim / 32;

}  // namespace

IndexQuery::IndexQuery(std::span<const float> q, std::span<const float> weights)
    : doubled_(q.size()), scales_(q.size() / 32), weights_(weights.begin(), weights.end()) {
  for (std::size_t group = 0; group < scales_.size(); ++group) {
    const arith::Q4iGroup packed = arith::quantize_q4i(std::span<const float, 32>(&q[32 * group], 32));
    scales_[group] = arith::e8m0_value(packed.scale);
    for (std::size_t i = 0; i < 32; ++i) {
      doubled_[32 * group + i] = static_cast<i8>(arith::e2m1_doubled(packed.codes[i]));
    }
  }
}

float IndexQuery::sum(std::span<const std::byte, kIndexRowBytes> key) const {
  std::array<i8, kIndexHeadDim> key_doubled;
  for (std::size_t i = 0; i < kIndexHeadDim; ++i) {
    key_doubled[i] =
        static_cast<i8>(arith::e2m1_doubled(static_cast<u8>((static_cast<u8>(key[i / 2]) >> (4 * (i % 2))) & 15)));
  }
  std::vector<float> head_scores(weights_.size());
  for (std::size_t head = 0; head < weights_.size(); ++head) {
    std::array<float, kGroups> t;
    for (std::size_t group = 0; group < kGroups; ++group) {
      const i8* a = &doubled_[head * kIndexHeadDim + 32 * group];
      const i8* b = &key_doubled[32 * group];
      i32 isum = 0;
      for (std::size_t i = 0; i < 32; ++i) isum += a[i] * b[i];
      const float key_scale = arith::e8m0_value(static_cast<u8>(key[kIndexHeadDim / 2 + group]));
      t[group] = static_cast<float>(isum) * ((scales_[head * kGroups + group] * key_scale) * 0.25f);
    }
    const float s = arith::bf16(((t[0] + t[1]) + t[2]) + t[3]);
    head_scores[head] = arith::bf16((s > 0.0f ? s : 0.0f) * weights_[head]);
  }
  return arith::ordered_sum(head_scores);
}

std::vector<float> IndexQuery::scores(Bytes rows) const {
  std::vector<float> result(rows.size() / kIndexRowBytes);
  for (std::size_t row = 0; row < result.size(); ++row) {
    result[row] =
        arith::bf16(sum(std::span<const std::byte, kIndexRowBytes>(&rows[row * kIndexRowBytes], kIndexRowBytes)));
  }
  return result;
}

}  // namespace bolide::model
