// A model into ds4's GGUF form: one file for the target and its Engram rows, one for the drafter (docs/gguf.md; spec
// model.md 2.2, dspark.md 1.3). Streaming, in bounded memory, several tensors at a time.
#pragma once
#include <memory>
#include <string>

#include "convert/checkpoint_folder.h"
#include "convert/packing.h"
#include "convert/tensor_reader.h"

namespace bolide::convert {

enum class GgufRecipe : u8 {
  kExact,  // the packed types one to one
  kMxfp4,  // ds4's types, with MXFP4 experts
};

// What a GGUF is written from. Keeps its files open.
struct GgufInput {
  struct Tensor {
    model::TensorSpec spec;  // spec.packed.type: the type in packed form
    std::string from;        // the source's type, for the report
    u64 bytes_in = 0;
    std::vector<const MappedFile*> files;  // that it reads
    std::function<std::unique_ptr<TensorReader>()> open;
  };
  std::string name;  // of the source, for errors
  model::Config config;
  formats::PackedDocuments documents;
  engram::EngramConstants engram;
  std::vector<Tensor> tensors;  // in the order of model::tensor_specs
  std::vector<EngramTableRows> engram_tables;
  model::SkippedTensors skipped;                            // the vision tower
  std::vector<const MappedFile*> sources;                   // all files that are read
  std::vector<const MappedFile*> consumable;                // those that --consume may remove,
  std::vector<const MappedFile*> consumable_without_draft;  // and where the drafter is left out
  std::shared_ptr<const void> files;
};

GgufInput gguf_input(const CheckpointFolder& folder);
// A packed file and the rows file beside it.
Result<GgufInput> gguf_input(const std::string& packed_path);

struct GgufReport {
  ConvertReport report;
  u64 target_bytes = 0;  // of the files; 0: there is no such one
  u64 draft_bytes = 0;
};

// Writes `path` and, where the source has a drafter that the options want, gguf_draft_path(path); of the drafter alone
// `path` is the file. Both get their names
// at the end; what a failure or a kill leaves, the next call goes on from (conversion.h). A failure names the tensor or
// the file.
Result<GgufReport> convert_to_gguf(const GgufInput& input, const std::string& path, GgufRecipe recipe,
                                   const ConvertOptions& options);

}  // namespace bolide::convert
