// One file in the GGUF format, version 3 (gguf_file.h opens whole models, in one file or several).
//
// A file is: "GGUF", u32 version, u64 number of tensors, u64 number of metadata values; the values (key, type, value);
// the tensors' descriptions (name, dimensions innermost first, type, offset in the data); from the next multiple of the
// alignment on (general.alignment, else 32) the data, every tensor at such a multiple. Files are untrusted: every size
// is checked before it is used, and a refusal names the tensor or the key. Source: spec model.md 2.2, pitfalls B48.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "formats/gguf_type.h"
#include "formats/gguf_value.h"

namespace bolide::formats {

struct GgufEntry {
  std::string_view key;
  GgufValue value;
};

// `data` points into the bytes that were parsed.
struct GgufTensor {
  std::string name;
  GgufType type = GgufType::kF32;
  std::vector<u64> dimensions;  // 1 to 4, each at least 1, the innermost (a row's elements) first
  Bytes data;                   // all rows, without a gap
  u64 file_offset = 0;          // of data[0] in its file, for readers that use pread
  u64 part = 0;                 // index into GgufFile::files()
};

// "Q8_0 [5120, 1280]", for messages.
std::string describe(const GgufTensor& tensor);

struct GgufHeader {
  std::vector<GgufEntry> values;    // keys are distinct; views into the parsed bytes
  std::vector<GgufTensor> tensors;  // in the order of the file; names are distinct, data does not overlap
  u64 data_offset = 0;

  const GgufValue* find(std::string_view key) const;  // nullptr where there is no such key
};

// `what` names the file in errors.
Result<GgufHeader> parse_gguf(Bytes file, std::string_view what);

}  // namespace bolide::formats
