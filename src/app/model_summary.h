// What a model file says about itself, for `inspect`: configuration, tensors and sizes, read from headers alone.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "model/checkpoint_accounting.h"
#include "model/tensors.h"

namespace bolide::app {

// A tensor as it is stored; an expert matrix stands for all experts of a layer.
struct StoredTensor {
  model::TensorSpec spec;
  std::string type;  // "Q8_0", "FP8", ...
  u64 bytes = 0;     // scales included; of packed tensors also the rows that fill up the last tile
};

struct StoredTable {
  u32 layer = 0;
  u64 rows = 0;
  u64 row_bytes = 0;
  u64 bytes() const { return rows * row_bytes; }
};

enum class ModelForm : u8 { kCheckpoint, kPacked, kGguf };

struct ModelSummary {
  std::string path;
  ModelForm form = ModelForm::kCheckpoint;
  model::Config config;
  std::vector<StoredTensor> tensors;  // in the order of model::tensor_specs; without a drafter's if it was left out
  std::vector<StoredTable> engram_tables;
  model::SkippedTensors vision;  // known and left out
};

// Opens what --model may name: a packed file, a GGUF, or a folder with a packed file or the official checkpoint.
Result<ModelSummary> summarize_model(const std::string& path);

// All tensors of a class that are stored in the same type.
struct ClassSize {
  bool draft;
  model::TensorClass tensor_class;
  std::string type;
  u64 tensors;  // of the checkpoint: each expert's matrix counts
  u64 bytes;
};

// Trunk first, then drafter; classes in the order of TensorClass.
std::vector<ClassSize> class_sizes(const ModelSummary& summary);

// Of all tensors, Engram tables included.
u64 stored_bytes(const ModelSummary& summary);

// One line of the table of spec model.md 2.4.
struct ReadPerToken {
  model::TensorClass tensor_class;
  u64 bytes;
};

// Weights that one decoded token reads, by class in the order of the spec's table; of an embedding one row. `draft`:
// the drafter's own tensors, each counted once a block, instead of the trunk's.
std::vector<ReadPerToken> read_per_token(const ModelSummary& summary, bool draft);

}  // namespace bolide::app
