#include "backends/cpu/attention.h"

#include <algorithm>

#include "backends/cpu/attention_sets.h"
#include "base/check.h"

namespace bolide::backends::cpu {
namespace {

constexpr u32 kHeadDim = model::kHeadDim;

// q[head][column] to [column][padded head], some columns of all heads at a time, so that both sides stay in the cache.
void transpose(std::span<const float> q, u32 padded_heads, std::span<float> by_column) {
  constexpr u32 kColumns = 16;
  for (u32 first = 0; first < kHeadDim; first += kColumns) {
    for (u32 head = 0; head < q.size() / kHeadDim; ++head) {
      const float* row = &q[u64{head} * kHeadDim];
      for (u32 d = first; d < first + kColumns; ++d) by_column[u64{d} * padded_heads + head] = row[d];
    }
  }
}

}  // namespace

void AttentionRow::begin(const EntryList& entry_list, std::span<const float> q, std::span<const float> sinks,
                         float score_scale) {
  check(entry_list.size() > 0 && q.size() == sinks.size() * kHeadDim, "a row attends at least to itself");
  list = entry_list;
  sink = sinks;
  scale = score_scale;
  q_by_column.resize(u64{kHeadDim} * padded_heads());
  transpose(q, padded_heads(), q_by_column);
  entries.resize(u64{entry_chunks()} * kChunkEntries * kEntryStride);
  weights.resize(u64{entry_chunks()} * kChunkEntries * padded_heads());
  divisors.resize(padded_heads());
}

Attention attention(InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::kAvx512) return attention_avx512();
  if (set == InstructionSet::kAvx2) return attention_avx2();
#endif
  static_cast<void>(set);
  return attention_scalar();
}

void attend(const Attention& kernels, AttentionRow& row, float* o) {
  kernels.decode(row, {0, row.entry_chunks()});
  kernels.score(row, {0, row.entry_chunks()});
  kernels.weigh(row, {0, row.head_chunks()});
  kernels.add_values(row, {0, AttentionRow::column_chunks()}, o);
}

}  // namespace bolide::backends::cpu
