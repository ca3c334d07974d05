// A model in GGUF form into packed weights (docs/gguf.md).
#pragma once
#include "convert/gguf_model.h"
#include "convert/packing.h"

namespace bolide::convert {

// What is to be packed; the model must outlive it. Reads those tensors whose type depends on their values.
Result<PackInput> pack_input(const GgufModel& model, const ConvertOptions& options);

// As for a checkpoint (checkpoint_to_packed.h); failures name the tensor or the file.
Result<PackedModel> convert_to_files(const GgufModel& model, const std::string& path, const ConvertOptions& options);
// The Engram rows stay in the GGUF (model.engram_tables).
Result<PackedModel> convert_to_memory(const GgufModel& model, const ConvertOptions& options);

}  // namespace bolide::convert
