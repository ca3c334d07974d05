// A model in ds4's GGUF form: the target file and, where there is one, the drafter's (spec model.md 2.2,
// dspark.md 1.3).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "convert/engram_rows.h"
#include "engram/constants.h"
#include "engram/row_store.h"
#include "formats/gguf_file.h"
#include "formats/packed_file.h"
#include "model/checkpoint_accounting.h"
#include "model/config.h"
#include "model/tensors.h"

namespace bolide::convert {

struct GgufSource {
  model::TensorSpec spec;  // as an official checkpoint would give it
  const formats::GgufTensor* tensor;
  const MappedFile* file;  // that holds it
};

// An open model whose tensors are all accounted for, with types that their roles can take. No weights were read yet.
struct GgufModel {
  std::string path;
  model::Config config;
  formats::PackedDocuments documents;  // made from the metadata
  engram::EngramConstants engram;
  std::vector<GgufSource> tensors;           // in the order of model::tensor_specs; with the drafter's, or without
  std::vector<EngramTableRows> engram_rows;  // ranges of the file
  std::vector<engram::TableSource> engram_tables;  // the same for readers of single rows
  model::SkippedTensors skipped;                   // the vision tower
  std::shared_ptr<const formats::GgufFile> target;
  std::shared_ptr<const formats::GgufFile> draft;  // nullptr: none was named
};

// `draft_path` may be empty: then the drafter's tensors are those that the target file has itself, if any. Errors name
// the file, and the tensor or key; a tensor that is missing, unknown, of another shape, or of a type that its role
// cannot take is one.
Result<GgufModel> open_gguf_model(const std::string& path, const std::string& draft_path);

// A drafter's file alone, for a model of this configuration: GgufModel::tensors are the drafter's, its documents empty.
Result<GgufModel> open_gguf_drafter(const std::string& path, const model::Config& config);

// Bytes of all weights, Engram rows apart.
u64 weight_bytes(const GgufModel& model);

}  // namespace bolide::convert
