// An official checkpoint into packed weights (design: interfaces.md, Packed weights file; docs/packed-file.md):
// streaming, in bounded memory, several tensors at a time.
#pragma once
#include "convert/checkpoint_folder.h"
#include "convert/packing.h"

namespace bolide::convert {

// Writes the packed file `path` and, where the model has Engram layers, the rows file engram_path(path). Both are
// written as *.partial and get their names at the end, the rows first; what a failure or a kill leaves, the next call
// goes on from (conversion.h). A failure names the tensor or the file.
Result<PackedModel> convert_to_files(const CheckpointFolder& folder, const std::string& path,
                                     const ConvertOptions& options);

// Packs into memory, for checkpoints that are small; the bytes are those of the file. The Engram rows stay in the
// shards (folder.engram_tables).
Result<PackedModel> convert_to_memory(const CheckpointFolder& folder, const ConvertOptions& options);

}  // namespace bolide::convert
