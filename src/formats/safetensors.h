// Checkpoints in the safetensors format: one file, or a folder of shards with `model.safetensors.index.json`.
//
// A file is: u64 header length; that many bytes of JSON, {name: {"dtype", "shape", "data_offsets": [begin, end]}} and
// an optional "__metadata__" object of strings; then the payload, which the tensors must tile without a hole or an
// overlap. Files are untrusted: every size is checked before it is used, and a refusal names the tensor and the place.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/mapped_file.h"
#include "base/result.h"

namespace bolide::formats {

// Element types, by the format's own names (F8_E4M3, ...).
enum class DType : u8 {
  kBool,
  kU8,
  kI8,
  kF8E4M3,
  kF8E5M2,
  kF8E8M0,
  kU16,
  kI16,
  kF16,
  kBF16,
  kU32,
  kI32,
  kF32,
  kU64,
  kI64,
  kF64
};

std::string_view name(DType dtype);
u64 element_bytes(DType dtype);

// One tensor of a checkpoint; `data` points into the mapping of the Checkpoint it came from.
struct Tensor {
  std::string name;
  DType dtype;
  std::vector<u64> shape;  // 1 to 4 dimensions, each at least 1, row-major
  Bytes data;              // product(shape) * element_bytes(dtype) bytes, at any alignment
  u64 shard = 0;           // index into Checkpoint::shards()
  u64 file_offset = 0;     // of data[0] in its shard, for readers that use pread
};

// "F8_E4M3 [128, 256]", for messages.
std::string describe(const Tensor& tensor);

// The tensors of one safetensors file, in the order of the payload. `what` names the file in errors.
Result<std::vector<Tensor>> parse_safetensors(Bytes file, std::string_view what);

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

  std::vector<MappedFile> shards_;
  std::vector<Tensor> tensors_;
  std::unordered_map<std::string_view, std::size_t> by_name_;  // keys point into tensors_
};

}  // namespace bolide::formats
