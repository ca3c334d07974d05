// Every tensor a model must have, derived from Config: official name, shape, checkpoint format, and what it becomes in
// a packed file. One list serves the loaders' accounting, the converter and `inspect`. Source: spec model.md 2.1,
// dspark.md 1.2; types follow the role (design: interfaces.md, Packed weights file).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "formats/packed_layout.h"
#include "model/config.h"

namespace bolide::model {

// The classes of the table of spec model.md 2.4, and what is not read for every token.
enum class TensorClass : u8 {
  kAttention,
  kRoutedExperts,
  kSharedExperts,
  kHead,
  kEngramProjection,
  kRouter,
  kIndex,  // compressor and indexer
  kMix,    // mHC and norms
  kEmbedding,
  kMarkov,
  kDraftInput,  // the drafter's main projection
  kConfidence,
};

std::string_view name(TensorClass tensor_class);

// How the official checkpoint holds it.
enum class CheckpointFormat : u8 {
  kBf16,
  kF32,
  kFp8,  // E4M3 and `.scale`: E8M0 per 32 x 32 block
  kFp4,  // I8 [rows, k/2] and `.scale`: E8M0 [rows, k/32]
};

// As tables of `convert` and `inspect` print it: BF16, F32, FP8, FP4.
std::string_view name(CheckpointFormat format);

struct TensorSpec {
  std::string name;  // official, `.weight` included; stacked experts: "layers.3.ffn.experts.w1"
  TensorClass tensor_class;
  CheckpointFormat checkpoint;
  formats::PackedShape packed;  // rows, columns and experts, too
  u32 dimensions;               // of the checkpoint's shape: 1 (columns) or 2 (rows, columns)
  bool draft;                   // belongs to the drafter

  bool stacked() const {
    return packed.experts > 1 || name.ends_with(".w1") || name.ends_with(".w2") || name.ends_with(".w3");
  }
  // The checkpoint's tensor of one expert; the tensor itself where nothing is stacked.
  std::string expert_name(u64 expert) const;
  // The companion of an FP8 or FP4 tensor: `.weight` becomes `.scale`.
  std::string expert_scale_name(u64 expert) const;
};

// Trunk first, then drafter, in the order of the forward pass.
std::vector<TensorSpec> tensor_specs(const Config& config);

// The Engram tables of the checkpoint: rows of E4M3 codes, and their scales, one E8M0 per 32 columns of a row.
std::string engram_codes_name(u32 layer);
std::string engram_scales_name(u32 layer);

// The vision tower and its glue, known and skipped (spec model.md 2.1: shard 00001 and three image vectors).
bool is_vision_tensor(std::string_view name);

// Bytes that one decoded token reads of a tensor that has `stored_bytes` in all: the used experts of a stack, one row
// of a lookup table, else everything.
u64 bytes_read_per_token(const TensorSpec& spec, u64 stored_bytes, const Config& config);

}  // namespace bolide::model
