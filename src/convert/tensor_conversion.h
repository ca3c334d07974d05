// One tensor of the official checkpoint into its packed form, piece by piece in the order PackedWriter wants.
#pragma once
#include <functional>

#include "convert/q8_0.h"
#include "convert/source_bytes.h"
#include "formats/checkpoint.h"
#include "model/tensors.h"

namespace bolide::convert {

// Takes the next bytes of the output.
using Append = std::function<Status(Bytes piece)>;

struct TensorConversion {
  u64 bytes_in = 0;   // read from the checkpoint, scales included
  SmallBlocks small;  // of tensors that become Q8_0
};

// Converts the tensor (all experts of a stack) by its role:
//
//     FP8            -> Q8_0    re-quantized (q8_0.h)
//     BF16 heads     -> Q8_0    re-quantized
//     FP4            -> MXFP4   the same codes and scales in tile order
//     BF16, F32      -> the same values, matrices in tile order, vectors and looked-up rows as they are
//
// The tensor was accounted for. A value that is not finite is an error that names the shard and the tensor.
// Memory: about 1 MiB, and of Q8_0 the scales (a 16th of the output) until the codes are through.
Result<TensorConversion> convert_tensor(const model::TensorSpec& spec, const formats::Checkpoint& checkpoint,
                                        const Append& append);

// A tensor that was accounted for; a value that is not finite is an error that names shard and tensor. The checkpoint
// outlives it.
SourceBytes source_bytes(const formats::Checkpoint& checkpoint, const std::string& name);

// The 32 rows of a tile, fewer at the end, of a matrix that the checkpoint holds as FP8 or BF16 (then there are no
// scales); good until the next call.
Result<MatrixRows> read_matrix_rows(const model::TensorSpec& spec, SourceBytes& codes, SourceBytes& scales, u64 tile);

using ReadRows = std::function<Result<MatrixRows>(u64 tile)>;

// A matrix as Q8_0, re-quantized: its codes tile by tile, then its scales, which it keeps in memory until then.
Status append_q8_0(u64 rows, u64 columns, const ReadRows& read, const Append& append, SmallBlocks& small);

}  // namespace bolide::convert
