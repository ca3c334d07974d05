// Packs a model, wherever it comes from: streaming, in bounded memory, several tensors at a time (design:
// interfaces.md, Packed weights file; docs/packed-file.md). checkpoint_to_packed.h and gguf_to_packed.h say what is to
// be packed.
#pragma once
#include <string>
#include <vector>

#include "convert/byte_progress.h"
#include "convert/conversion.h"
#include "convert/engram_rows.h"
#include "convert/report.h"
#include "convert/tensor_conversion.h"
#include "formats/packed_file.h"
#include "model/tensors.h"

namespace bolide::convert {

struct ConvertOptions {
  bool with_trunk = true;   // false: the drafter alone
  bool with_draft = true;   // false: leave the drafter's tensors out
  std::string engram_from;  // leave the Engram rows in this file; empty: write them
  bool consume = false;     // remove each shard of a checkpoint once all that is made of it is safe
  u32 n_threads = 0;        // 0: as many as the machine has
  TellProgress progress;
  u64 sync_bytes = kSyncBytes;
  const std::atomic<bool>* stop = nullptr;  // set by a signal: end as soon as possible, as after a failure
};

// The threads that the options stand for.
u32 thread_count(const ConvertOptions& options);
ConversionRun run_of(const ConvertOptions& options);

struct PackedModel {
  formats::PackedFile weights;
  ConvertReport report;
};

// One tensor of the packed file. `convert` hands its bytes over in the writer's order (formats/packed_writer.h); it is
// called once, by any thread.
struct PackTask {
  model::TensorSpec spec;                // spec.packed says what it becomes
  std::string from;                      // the source's type, for the report
  std::vector<const MappedFile*> files;  // that it reads
  std::function<Result<TensorConversion>(const Append& append)> convert;
};

// The source stays open until the packing ends.
struct PackInput {
  std::string name;  // of the source, for errors
  model::Config config;
  formats::PackedDocuments documents;
  std::vector<PackTask> tensors;  // in the order of the packed file
  std::vector<EngramTableRows> engram_tables;
  std::vector<const MappedFile*> sources;     // all files that are read
  std::vector<const MappedFile*> consumable;  // those of them that hold nothing else: --consume may remove them
};

// Writes the packed file `path` and, where the model has Engram layers, the rows file engram_path(path), or there a
// link to the rows' file (options.engram_from). Both are written as *.partial and get their names at the end, the rows
// first; what a failure or a kill leaves, the next call goes on from (conversion.h). A failure names the tensor or the
// file.
Result<PackedModel> pack_to_files(const PackInput& input, const std::string& path, const ConvertOptions& options);

// Packs into memory, all at once; the bytes are those of the file. The Engram rows stay where they are.
Result<PackedModel> pack_to_memory(const PackInput& input, const ConvertOptions& options);

// Bytes that pack_to_memory() takes.
Result<u64> packed_bytes(const PackInput& input);

}  // namespace bolide::convert
