// Complete accounting of an official checkpoint: every tensor of the model is there with its type and shape, and
// nothing else is (spec model.md 2.1). For the loader of the reference forwards and for the converter. Touches only
// headers, no weights, but for refuse_non_finite().
#pragma once
#include "base/result.h"
#include "formats/checkpoint.h"
#include "model/config.h"

namespace bolide::model {

// What a checkpoint holds beside the text model: the vision tower and its glue.
struct SkippedTensors {
  u64 count = 0;
  u64 bytes = 0;
};

// Compares the checkpoint with tensor_specs(config), the scales of quantized tensors and the Engram tables included:
//
//     kBf16, kF32  BF16 or F32 [columns] or [rows, columns]
//     kFp8         F8_E4M3 [rows, k], .scale F8_E8M0 [ceil(rows/32), ceil(k/32)]
//     kFp4         I8 [rows, k/2], .scale F8_E8M0 [rows, k/32], per expert
//     Engram       F8_E4M3 [rows, head_dim], .scale F8_E8M0 [rows, head_dim/32]
//
// A tensor that is missing, unknown or of another type or shape is an error that names it. Afterwards find() of all
// those names succeeds. Returns what was skipped.
Result<SkippedTensors> account_for_tensors(const Config& config, const formats::Checkpoint& checkpoint);

// The same for the drafter's tensors, of a checkpoint that has only these.
Status account_for_draft_tensors(const Config& config, const formats::Checkpoint& checkpoint);

// Refuses a tensor with a value that is not finite: the NaN codes of F8_E4M3 (0x7f, 0xff) and F8_E8M0 (255), infinity
// and NaN in BF16 and F32. Other types hold no such value. Reads the whole tensor, at the speed of memory.
Status refuse_non_finite(const formats::Tensor& tensor);
// The same for a piece of it: whole elements from byte `first` of the tensor on.
Status refuse_non_finite(const formats::Tensor& tensor, u64 first, Bytes piece);

}  // namespace bolide::model
