// The input is a GGUF file. What is accepted must lie inside it.
#include "formats/gguf_header.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bolide;
  const Bytes file = std::as_bytes(std::span(data, size));
  const auto inside = [&](Bytes part) {
    return part.empty() || (part.data() >= file.data() && part.data() + part.size() <= file.data() + file.size());
  };
  const Result<formats::GgufHeader> header = formats::parse_gguf(file, "fuzz");
  if (!header) return 0;
  for (const formats::GgufTensor& tensor : header->tensors) {
    check(inside(tensor.data) && tensor.data.data() == file.data() + tensor.file_offset, "tensors lie inside the file");
  }
  for (const formats::GgufEntry& entry : header->values) {
    check(inside(entry.value.data), "values lie inside the file");
    const formats::GgufValue& value = entry.value;
    if (const auto texts = value.texts()) {
      check(texts->size() == value.count, "an array has its elements");
      for (const std::string_view text : *texts) check(inside(as_bytes(text)), "texts lie inside the file");
    }
    if (const auto numbers = value.numbers()) check(numbers->size() == value.count, "an array has its elements");
    (void)value.whole();
    (void)value.number();
    (void)value.truth();
  }
  return 0;
}
