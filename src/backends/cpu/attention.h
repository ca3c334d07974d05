// Sparse attention of one row over its own list of entries (design: arithmetic.md rule 5; spec model.md 3.7): entries
// are rows of the state, decoded once for all heads. Lane = head for the scores, lane = column for the values.
//
// The work of a row has four phases, each of parts that threads may share; a phase needs the one before complete. Many
// rows go to threads whole (attend).
#pragma once
#include <cstddef>
#include <span>

#include "backends/cpu/aligned_vector.h"
#include "backends/cpu/instruction_set.h"
#include "backends/cpu/part_range.h"
#include "model/state_layout.h"

namespace bolide::backends::cpu {

// What a row attends to, in list order: window rows (528 bytes each), then compressed rows (288 bytes each); both may
// be anywhere. The drafter's ring and block rows are all window rows. At least one entry.
struct EntryList {
  std::span<const std::byte* const> window;
  std::span<const std::byte* const> compressed;
  u32 size() const { return static_cast<u32>(window.size() + compressed.size()); }
};

// One row while its attention is computed; keeps its memory from row to row. Spans belong to the caller.
struct AttentionRow {
  static constexpr u32 kChunkEntries = 12;
  static constexpr u32 kChunkHeads = 16;
  static constexpr u32 kChunkColumns = 64;
  // A power of two between entries would put them all into the same few sets of a cache.
  static constexpr u32 kEntryStride = model::kHeadDim + 16;

  // q: [heads][512], sink: [heads]; scale is the factor of the scores.
  void begin(const EntryList& entry_list, std::span<const float> q, std::span<const float> sinks, float score_scale);

  u32 heads() const { return static_cast<u32>(sink.size()); }
  u32 padded_heads() const { return (heads() + kChunkHeads - 1) / kChunkHeads * kChunkHeads; }
  u32 entry_chunks() const { return (list.size() + kChunkEntries - 1) / kChunkEntries; }
  u32 head_chunks() const { return padded_heads() / kChunkHeads; }
  static constexpr u32 column_chunks() { return model::kHeadDim / kChunkColumns; }

  EntryList list;
  std::span<const float> sink;
  float scale = 0.0f;
  AlignedVector<float> q_by_column;  // [512][padded heads]
  AlignedVector<float> entries;      // decoded, kEntryStride apart, whole chunks
  AlignedVector<float> weights;      // [entry][padded heads]: scores, then bf16(exp(score - maximum))
  AlignedVector<float> divisors;     // [padded heads]: Z; NaN where a score is not finite
};

struct Attention {
  void (*decode)(AttentionRow& row, PartRange entry_chunks);
  void (*score)(AttentionRow& row, PartRange entry_chunks);
  void (*weigh)(AttentionRow& row, PartRange head_chunks);
  // o: [heads][512], bf16.
  void (*add_values)(const AttentionRow& row, PartRange column_chunks, float* o);
};

// The kernels for a present instruction set.
Attention attention(InstructionSet set);

// All phases of a row that has begun, on this thread.
void attend(const Attention& kernels, AttentionRow& row, float* o);

}  // namespace bolide::backends::cpu
