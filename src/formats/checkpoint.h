// A checkpoint in the safetensors format: one file, or a folder of shards with `model.safetensors.index.json`.
// Files are untrusted; a refusal names the file and the tensor.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "formats/safetensors.h"

namespace bolide::formats {

// One line of an index's weight_map.
struct ShardEntry {
  std::string tensor;
  std::string shard;  // a plain file name: no folder, no "..", ending in .safetensors
};

// The weight_map of a `model.safetensors.index.json`, in its order.
Result<std::vector<ShardEntry>> parse_safetensors_index(std::string_view json, std::string_view what);

// An open checkpoint: owns the mappings. Movable; any thread may read.
class Checkpoint {
 public:
  // The folder's `model.safetensors.index.json` and every shard it names, else its single `model.safetensors`.
  // Index and shards must name the same tensors.
  static Result<Checkpoint> open_folder(const std::string& folder);
  // One safetensors file.
  static Result<Checkpoint> open_file(const std::string& path);

  // By shard (names ascending), inside a shard in the order of the payload.
  const std::vector<Tensor>& tensors() const { return tensors_; }
  // nullptr where there is no such tensor.
  const Tensor* find(std::string_view name) const;
  const std::vector<MappedFile>& shards() const { return shards_; }

 private:
  Checkpoint() = default;
  Status add_shard(const std::string& path);
  Status index_names();

  std::vector<MappedFile> shards_;
  std::vector<Tensor> tensors_;
  std::unordered_map<std::string_view, std::size_t> by_name_;  // keys point into tensors_
};

}  // namespace bolide::formats
