// An official checkpoint into packed weights (design: interfaces.md, Packed weights file; docs/packed-file.md):
// streaming, in bounded memory, several tensors at a time.
#pragma once
#include <functional>

#include "convert/checkpoint_folder.h"
#include "convert/report.h"

namespace bolide::convert {

struct ConvertOptions {
  bool with_draft = true;  // false: leave the drafter's tensors out
  u32 n_threads = 0;       // 0: as many as the machine has
  // Told how many bytes of the output are done, by one thread at a time, often.
  std::function<void(u64 done, u64 total)> progress;
};

struct PackedModel {
  formats::PackedFile weights;
  ConvertReport report;
};

// Writes the packed file `path` and, where the model has Engram layers, the rows file engram_path(path). Both are
// written as *.partial and get their names at the end, the rows first; on failure nothing is left of an unfinished
// file. A failure names the tensor or the file.
Result<PackedModel> convert_to_files(const CheckpointFolder& folder, const std::string& path,
                                     const ConvertOptions& options);

// Packs into memory, for checkpoints that are small; the bytes are those of the file. The Engram rows stay in the
// shards (folder.engram_tables).
Result<PackedModel> convert_to_memory(const CheckpointFolder& folder, const ConvertOptions& options);

}  // namespace bolide::convert
