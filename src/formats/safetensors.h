// One file in the safetensors format (checkpoint.h opens whole checkpoints).
//
// A file is: u64 header length; that many bytes of JSON, {name: {"dtype", "shape", "data_offsets": [begin, end]}} and
// an optional "__metadata__" object of strings; then the payload, which the tensors must tile without a hole or an
// overlap. Files are untrusted: every size is checked before it is used, and a refusal names the tensor and the place.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
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

// One tensor of a checkpoint.
struct Tensor {
  std::string name;
  DType dtype;
  std::vector<u64> shape;  // 1 to 4 dimensions, each at least 1, row-major
  u64 bytes = 0;           // product(shape) * element_bytes(dtype)
  Bytes data;              // these bytes in what was parsed, at any alignment; empty where only a header was parsed
  u64 shard = 0;           // index into Checkpoint::shards()
  u64 file_offset = 0;     // of data[0] in its shard, for readers that use pread
};

// "F8_E4M3 [128, 256]", for messages.
std::string describe(const Tensor& tensor);

// The tensors of one safetensors file, in the order of the payload. `what` names the file in errors.
Result<std::vector<Tensor>> parse_safetensors(Bytes file, std::string_view what);

// The beginning of a safetensors file, up to its payload; shorter where the file is, or is none.
Bytes safetensors_header(Bytes file);

// The tensors of a file of `file_bytes` bytes of which only the header is there.
Result<std::vector<Tensor>> parse_safetensors_header(Bytes header, u64 file_bytes, std::string_view what);

}  // namespace bolide::formats
