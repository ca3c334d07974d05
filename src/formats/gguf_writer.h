// Writes a GGUF file in bounded memory: all tensors are known first, so that every byte has its place before the first
// one is written. The layout is ds4's: every tensor at a multiple of 16,384 (spec model.md 2.2).
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/gguf_header.h"
#include "formats/tensor_writer.h"

namespace bolide::formats {

inline constexpr u64 kGgufAlignment = 16 * 1024;

// The metadata of a file to be written, encoded as it is added. Keys must be distinct; general.alignment is the
// writer's.
class GgufMetadata {
 public:
  void add_text(std::string_view key, std::string_view value);
  void add_u32(std::string_view key, u32 value);
  void add_u64(std::string_view key, u64 value);
  void add_f32(std::string_view key, float value);
  void add_bool(std::string_view key, bool value);
  void add_texts(std::string_view key, std::span<const std::string> values);
  void add_u32s(std::string_view key, std::span<const u32> values);
  void add_i32s(std::string_view key, std::span<const i32> values);
  void add_u64s(std::string_view key, std::span<const u64> values);
  // As it stands in another file.
  void add_value(std::string_view key, const GgufValue& value);

  u64 count() const { return count_; }
  std::string_view encoded() const { return encoded_; }

 private:
  std::string encoded_;
  u64 count_ = 0;
};

struct GgufTensorSpec {
  std::string name;
  GgufType type = GgufType::kF32;
  std::vector<u64> dimensions;  // the innermost first
};

// Of a tensor with good dimensions.
u64 tensor_bytes(const GgufTensorSpec& tensor);

// Where everything lies.
struct GgufPlan {
  std::string header;        // all bytes before the data
  u64 data_offset = 0;       // a multiple of kGgufAlignment
  std::vector<u64> offsets;  // of the tensors in the file
  std::vector<u64> bytes;    // of the tensors
  u64 file_bytes = 0;        // a multiple of kGgufAlignment
};

// Fails where the tensors are more than a file can hold. Names and dimensions are ours, so they are good.
Result<GgufPlan> plan_gguf_file(GgufMetadata metadata, const std::vector<GgufTensorSpec>& tensors);

// A file is written as PATH.partial and takes its name only in finish(). A writer that is destroyed before finish()
// removes the partial file. Threads: different tensors may be appended to by different threads at the same time.
class GgufWriter : public TensorWriter {
 public:
  // Fails where the disk has no room.
  static Result<GgufWriter> create(const std::string& path, GgufMetadata metadata,
                                   const std::vector<GgufTensorSpec>& tensors, WriteMode mode = WriteMode::kNew);

  u64 size_bytes() const { return plan_.file_bytes; }
  u64 tensor_bytes(std::size_t tensor) const { return plan_.bytes.at(tensor); }

  // The next bytes of a tensor (index into the specs), in pieces of any size.
  Status append(std::size_t tensor, Bytes piece) override;

  WriteRange range(std::size_t tensor) const override { return {plan_.offsets.at(tensor), plan_.bytes[tensor]}; }
  Sha256Digest digest(std::size_t) const override { return {}; }
  Status restore(std::size_t tensor, u64 bytes, const Sha256Digest&) override;
  Status write_header() override;
  PartialFile& file() override { return file_; }

  // Once, after every tensor was appended in full.
  Status finish();

 private:
  GgufWriter(GgufPlan plan, PartialFile file)
      : plan_(std::move(plan)), positions_(plan_.bytes.size(), 0), file_(std::move(file)) {}

  GgufPlan plan_;
  std::vector<u64> positions_;
  PartialFile file_;
};

}  // namespace bolide::formats
