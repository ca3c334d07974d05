// Writes a packed weights file (docs/packed-file.md), to disk or into memory, in bounded memory: all tensors are known
// first, so that every byte has its place before the first one is written.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/partial_file.h"
#include "formats/packed_file.h"
#include "formats/packed_plan.h"
#include "formats/tensor_writer.h"

namespace bolide::formats {

// Whether the table gets the hashes of the tensors' contents. Left out (they are zeros then), a file in memory is made
// two to three times as fast, and PackedFile::verify_contents has nothing to compare with.
enum class ContentHashes : u8 { kMade, kLeftOut };

// A file is written as PATH.partial and takes its name only in finish(), so what has the name is whole. A writer that
// is destroyed before finish() removes the partial file.
//
// Threads: different tensors may be appended to by different threads at the same time.
class PackedWriter : public TensorWriter {
 public:
  // Fails where a shape, a name or the free space of the disk does not do.
  static Result<PackedWriter> to_file(const std::string& path, PackedDocuments documents, std::vector<PackedSpec> specs,
                                      WriteMode mode = WriteMode::kNew);
  // `name` stands for the path in errors. Memory for the whole file is taken at once.
  static Result<PackedWriter> to_memory(const std::string& name, PackedDocuments documents,
                                        std::vector<PackedSpec> specs, ContentHashes hashes = ContentHashes::kMade);

  // The next bytes of a tensor (index into specs), in pieces of any size: expert 0's codes, expert 1's, ..., then
  // expert 0's scales, ... Each expert's plane has the size of plane_bytes(); padding between experts is ours.
  Status append(std::size_t tensor, Bytes piece) override;

  WriteRange range(std::size_t tensor) const override;
  Sha256Digest digest(std::size_t tensor) const override;
  Status restore(std::size_t tensor, u64 bytes, const Sha256Digest& digest) override;
  Status write_header() override;
  PartialFile& file() override { return *file_; }

  // Bytes of the whole file.
  u64 size_bytes() const { return plan_.file_bytes; }

  // Once, after every tensor was appended in full: writes the header (documents and table, too), gives the file its
  // name and opens the result.
  Result<PackedFile> finish();

 private:
  struct Progress {
    u64 position = 0;  // in the tensor's bytes on disk: codes with padding, then scales with padding
    Sha256 hash;
    Sha256Digest digest{};  // once the tensor is whole
  };

  PackedWriter() = default;
  static Result<PackedWriter> plan(const std::string& path, PackedDocuments documents, std::vector<PackedSpec> specs);
  std::vector<std::byte> encode_table();
  Status write_at(u64 offset, Bytes bytes);

  std::string path_;
  PackedDocuments documents_;
  std::vector<PackedSpec> specs_;
  PackedPlan plan_;
  std::vector<Progress> progress_;
  ContentHashes hashes_ = ContentHashes::kMade;
  std::optional<PartialFile> file_;  // one of the two
  std::shared_ptr<std::byte> memory_;
};

}  // namespace bolide::formats
