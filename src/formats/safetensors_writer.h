// Writes a file in the safetensors format (safetensors.h): all tensors are known first, then their bytes come in any
// pieces.
#pragma once
#include <string>
#include <vector>

#include "base/partial_file.h"
#include "formats/safetensors.h"

namespace bolide::formats {

struct SafetensorsSpec {
  std::string name;
  DType dtype;
  std::vector<u64> shape;
};

// A file is written as PATH.partial and takes its name in finish().
// Threads: different tensors may be appended to by different threads at the same time.
class SafetensorsWriter {
 public:
  // Fails where a name or a shape does not do, or the disk has no room. The payload has the order of `specs`.
  static Result<SafetensorsWriter> create(const std::string& path, const std::vector<SafetensorsSpec>& specs);

  // Of all tensors.
  u64 payload_bytes() const { return payload_bytes_; }

  // The next bytes of a tensor (index into specs), in pieces of any size.
  Status append(std::size_t tensor, Bytes piece);
  // Once, after every tensor was appended in full.
  Status finish();

 private:
  struct Place {
    u64 position;  // in the file, of the next byte
    u64 end;
  };

  explicit SafetensorsWriter(PartialFile file) : file_(std::move(file)) {}

  PartialFile file_;
  std::vector<Place> places_;  // per tensor
  u64 payload_bytes_ = 0;
};

}  // namespace bolide::formats
