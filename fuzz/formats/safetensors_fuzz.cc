// The input is a safetensors header; the payload after it has 64 bytes. What is accepted must tile them.
#include <string>

#include "formats/safetensors.h"
#include "formats/safetensors_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bolide;
  constexpr u64 kPayload = 64;
  const std::string_view header(reinterpret_cast<const char*>(data), size);
  const std::string file = formats::safetensors_bytes(header, std::string(kPayload, 'p'));
  const Result<std::vector<formats::Tensor>> tensors = formats::parse_safetensors(as_bytes(file), "fuzz");
  if (!tensors) return 0;
  u64 bytes = 0;
  for (const formats::Tensor& tensor : *tensors) {
    check(tensor.file_offset + tensor.data.size() <= file.size(), "tensors lie inside the file");
    check(tensor.data.data() == as_bytes(file).data() + tensor.file_offset, "offset and span agree");
    bytes += tensor.data.size();
  }
  check(bytes == kPayload, "tensors tile the payload");
  return 0;
}
