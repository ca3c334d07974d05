// The tensor names of ds4's GGUF files beside the official ones: one table for reader and writer (spec model.md 2.2,
// dspark.md 1.3).
#pragma once
#include <string>
#include <vector>

#include "formats/gguf_type.h"
#include "model/tensors.h"

namespace bolide::model {

// ds4's name of a tensor: layers.3.attn.wq_a.weight is blk.3.attn_q_a.weight; the drafter's stages keep "mtp.S.".
std::string gguf_name(const TensorSpec& spec);

// All names under which a file may hold the tensor, ds4's first. Then the official name, for stacked experts and for
// names without a suffix also with ".weight" behind it, and for the drafter's heads the short names of older tools
// (mtp.S.markov_w1.weight, mtp.S.markov_w2.weight, mtp.S.confidence_proj.weight).
std::vector<std::string> gguf_names(const TensorSpec& spec);

// The type of the tensor in ds4's files of MXFP4 experts.
formats::GgufType gguf_mxfp4_type(const TensorSpec& spec);

// The specs in the order of ds4's files: globals, then block after block in the order of the spec's table; the
// drafter's projection before its first block, its heads after its last.
std::vector<TensorSpec> in_gguf_order(std::vector<TensorSpec> specs);

// The rows of a layer's Engram table: I8 [row bytes, rows].
std::string gguf_engram_name(u32 layer);

}  // namespace bolide::model
