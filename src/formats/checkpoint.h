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

// A shard that is not there any more (`convert --consume`), and its beginning, up to the payload.
struct GoneShard {
  std::string path;
  u64 bytes = 0;
  std::string header;
};

// An open checkpoint: owns the mappings. Movable; any thread may read.
class Checkpoint {
 public:
  // The folder's `model.safetensors.index.json` and every shard it names, else its single `model.safetensors`.
  // Index and shards must name the same tensors.
  // `gone` stands for shards that are missing; their tensors have no data.
  static Result<Checkpoint> open_folder(const std::string& folder, const std::vector<GoneShard>& gone = {});
  // Those tensors of a folder whose names begin with `prefix`: only their shards need be there. Without an index these
  // are the folder's safetensors files, whatever their names.
  static Result<Checkpoint> open_part(const std::string& folder, std::string_view prefix);
  // One safetensors file.
  static Result<Checkpoint> open_file(const std::string& path);

  // By shard (names ascending), inside a shard in the order of the payload.
  const std::vector<Tensor>& tensors() const { return tensors_; }
  // nullptr where there is no such tensor.
  const Tensor* find(std::string_view name) const;
  const std::vector<MappedFile>& shards() const { return shards_; }

 private:
  Checkpoint() = default;
  Status add_shard(const std::string& path, const std::vector<GoneShard>& gone = {});
  Status add_shards(const std::string& folder, const std::vector<std::string>& names,
                    const std::vector<GoneShard>& gone = {});
  Status index_names();

  std::vector<MappedFile> shards_;
  std::vector<Tensor> tensors_;
  std::unordered_map<std::string_view, std::size_t> by_name_;  // keys point into tensors_
};

}  // namespace bolide::formats
