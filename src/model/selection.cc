#include "model/selection.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace bolide::model {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

std::vector<u32> top_k(std::span<const float> scores, u32 k) {
  std::vector<u32> rows;
  for (u32 row = 0; row < scores.size(); ++row) {
    if (scores[row] != -kInfinity) rows.push_back(row);
  }
  if (rows.size() <= k) return rows;
  const auto better = [&](u32 a, u32 b) { return scores[a] > scores[b] || (scores[a] == scores[b] && a < b); };
  std::nth_element(rows.begin(), rows.begin() + k, rows.end(), better);
  rows.resize(k);
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<u32> candidate_blocks(std::span<const float> scores, u32 block_size, u32 n_blocks) {
  std::vector<float> block_scores((scores.size() + block_size - 1) / block_size, -kInfinity);
  for (std::size_t row = 0; row < scores.size(); ++row) {
    float& best = block_scores[row / block_size];
    best = std::max(best, scores[row]);
  }
  if (!block_scores.empty()) block_scores.back() = kInfinity;
  return top_k(block_scores, n_blocks);
}

void keep_blocks(std::span<float> scores, std::span<const u32> blocks, u32 block_size) {
  auto kept = blocks.begin();
  for (u32 row = 0; row < scores.size(); ++row) {
    const u32 block = row / block_size;
    while (kept != blocks.end() && *kept < block) ++kept;
    if (kept == blocks.end() || *kept != block) scores[row] = -kInfinity;
  }
}

u32 argmax(std::span<const float> values) {
  return static_cast<u32>(std::max_element(values.begin(), values.end()) - values.begin());
}

}  // namespace bolide::model
