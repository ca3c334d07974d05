// The folder of an official checkpoint: config.json, tokenizer.json, engram.json (ours; the
// official folder has none) and safetensors shards.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engram/constants.h"
#include "engram/row_store.h"
#include "formats/checkpoint.h"
#include "formats/packed_file.h"
#include "model/checkpoint_accounting.h"
#include "model/config.h"
#include "model/tensors.h"

namespace bolide::convert {

// An open checkpoint whose tensors are all accounted for. No weights were read yet.
struct CheckpointFolder {
  std::string path;
  model::Config config;
  // As they stand in the folder. engram.json is made by its rules where the folder has none (the official one), and
  // empty where no layer has a table.
  formats::PackedDocuments documents;
  engram::EngramConstants engram;
  std::shared_ptr<const formats::Checkpoint> checkpoint;
  model::SkippedTensors skipped;                   // the vision tower
  std::vector<engram::TableSource> engram_tables;  // where the rows lie in the shards
  u64 payload_bytes = 0;                           // of all tensors
};

// Errors name the file, and the field or tensor. `gone`: shards of which only the header is left
// (formats/checkpoint.h).
Result<CheckpointFolder> open_checkpoint_folder(const std::string& path,
                                                const std::vector<formats::GoneShard>& gone = {});

// The drafter alone: config.json and the three mtp shards are enough. The other documents stay empty.
Result<CheckpointFolder> open_draft_folder(const std::string& path);

// The shards that hold the tensor's parts.
std::vector<const MappedFile*> shards_of(const model::TensorSpec& spec, const formats::Checkpoint& checkpoint);

// The shards whose every tensor goes into a conversion: those of the vision tower do not, and perhaps the drafter's
// or the Engram rows.
std::vector<const MappedFile*> shards_without_rest(const formats::Checkpoint& checkpoint, bool with_draft,
                                                   bool with_engram = true);

}  // namespace bolide::convert
