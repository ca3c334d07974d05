// The packed weights file, version 1: reading (docs/packed-file.md). Untrusted: open() checks header and table, their
// hashes, and every size and offset, and touches no weights.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/sha256.h"
#include "formats/packed_layout.h"

namespace bolide::formats {

inline constexpr u32 kPackedVersion = 1;
inline constexpr u32 kArithmeticVersion = 1;  // A1

// What the writer's caller says about a tensor, and what the table says about it.
struct PackedSpec {
  std::string name;          // the official checkpoint's; stacked experts: `layers.3.ffn.experts.w1`. At most 127 bytes
  std::string tensor_class;  // the caller's label ("expert", "attention", ...), at most 31 bytes; not interpreted here
  PackedShape shape;
};

// One tensor of an open file; its spans live as long as the PackedFile (and its copies).
struct PackedTensor {
  PackedSpec spec;
  Placement placement;
  Sha256Digest digest{};  // over all codes, then all scales, padding included
  Bytes all_codes;        // of all experts, with strides placement.codes_stride
  Bytes all_scales;

  // One expert's codes (of a float tensor: its values) and scales, in the layout of packed_layout.h.
  Bytes codes(u64 expert = 0) const;
  Bytes scales(u64 expert = 0) const;
};

// The JSON documents carried beside the weights, as bytes; room formats does not look into them.
struct PackedDocuments {
  std::string config;     // config.json
  std::string tokenizer;  // tokenizer.json
  std::string engram;     // Engram constants, engram.json
};

// An open packed file, on disk (mapped) or in memory. Copies share the bytes. Any thread may read.
class PackedFile {
 public:
  static Result<PackedFile> open(const std::string& path);
  // Over bytes that `owner` keeps alive; `path` names them in errors.
  static Result<PackedFile> from_memory(std::string path, Bytes bytes, std::shared_ptr<const void> owner);

  const std::string& path() const { return path_; }
  Bytes bytes() const { return bytes_; }
  // In the order of the table, which is the order of the file.
  const std::vector<PackedTensor>& tensors() const { return tensors_; }
  // nullptr where there is no such tensor.
  const PackedTensor* find(std::string_view name) const;
  std::string_view config_json() const { return config_; }
  std::string_view tokenizer_json() const { return tokenizer_; }
  std::string_view engram_json() const { return engram_; }

  // Reads everything and compares each tensor's hash; names the first tensor that differs.
  Status verify_contents() const;

 private:
  PackedFile() = default;

  std::string path_;
  Bytes bytes_;
  std::shared_ptr<const void> owner_;
  std::vector<PackedTensor> tensors_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::string_view config_, tokenizer_, engram_;  // into bytes_
};

}  // namespace bolide::formats
