// Synthetic models: seeded random weights of any size, the same bits on every machine and with any number of threads
// (design: interfaces.md, Tests and fixtures; docs/decisions/0014-synthetic-models.md).
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "convert/synth_shape.h"
#include "engram/constants.h"
#include "engram/row_store.h"
#include "formats/packed_file.h"
#include "formats/packed_writer.h"
#include "model/config.h"
#include "model/forward.h"
#include "model/tensors.h"

namespace bolide::convert {

// Everything about a synthetic model but its numbers.
struct SynthPlan {
  SynthOptions options;
  model::Config config;
  formats::PackedDocuments documents;
  engram::EngramConstants engram;
  std::vector<model::TensorSpec> tensors;  // with the types of the packed form
};

// Fails, naming the option, where there is no such model.
Result<SynthPlan> plan_synth(const SynthOptions& options);

struct SynthRun {
  u32 n_threads = 0;  // 0: as many as the machine has
  // Told how many bytes are done, by one thread at a time, often.
  std::function<void(u64 done, u64 total)> progress;
};

// The packed form in memory. The Engram rows are not part of it: see synth_rows.
Result<formats::PackedFile> synth_to_memory(const SynthPlan& plan, const SynthRun& run,
                                            formats::ContentHashes hashes = formats::ContentHashes::kMade);

// The packed file `path` and the rows file engram_path(path) beside it. Both get their names at the end, the rows
// first; on failure nothing is left of an unfinished file.
Result<formats::PackedFile> synth_to_files(const SynthPlan& plan, const std::string& path, const SynthRun& run);

// The Engram rows, made whenever they are read: tables of any size take no memory.
std::unique_ptr<engram::RowReader> synth_rows(const SynthPlan& plan);

// All of a model, in memory, for A1; the packed form without hashes of its contents.
Result<model::Model> synth_model_in_memory(const SynthOptions& options);

// Token ids to feed synthetic models with: id number i is word i of the bytes of the name "tokens" (convert/
// synth_numbers.h), modulo image_token_id, the last of the vocabulary, which is so left out.
std::vector<u32> synth_token_ids(u64 seed, const model::Config& config, u64 n);

}  // namespace bolide::convert
