#include "formats/safetensors.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "formats/checked_size.h"
#include "formats/json_walk.h"
#include "formats/names.h"

namespace bolide::formats {
namespace {

constexpr u64 kLengthBytes = 8;               // of the number in front of the header
constexpr u64 kMaxHeaderBytes = 100'000'000;  // the format's own limit
constexpr std::size_t kMaxDimensions = 4;     // no checkpoint we read has more

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  u64 bytes;
};
constexpr std::array<DTypeInfo, 16> kDTypes{{{DType::kBool, "BOOL", 1},
                                             {DType::kU8, "U8", 1},
                                             {DType::kI8, "I8", 1},
                                             {DType::kF8E4M3, "F8_E4M3", 1},
                                             {DType::kF8E5M2, "F8_E5M2", 1},
                                             {DType::kF8E8M0, "F8_E8M0", 1},
                                             {DType::kU16, "U16", 2},
                                             {DType::kI16, "I16", 2},
                                             {DType::kF16, "F16", 2},
                                             {DType::kBF16, "BF16", 2},
                                             {DType::kU32, "U32", 4},
                                             {DType::kI32, "I32", 4},
                                             {DType::kF32, "F32", 4},
                                             {DType::kU64, "U64", 8},
                                             {DType::kI64, "I64", 8},
                                             {DType::kF64, "F64", 8}}};

// A tensor as the header describes it, before any number is believed.
struct HeaderEntry {
  std::string name;
  std::optional<DType> dtype;
  std::optional<std::vector<u64>> shape;
  std::optional<std::vector<u64>> offsets;
};

// Collects the header's entries; the walk already refuses duplicate names.
class HeaderVisitor : public JsonVisitor {
 public:
  std::vector<HeaderEntry> entries;

  Status begin_object(JsonPath path) override {
    if (path.empty() || (path.size() == 1 && path[0] == kMetadata)) return {};
    if (path.size() != 1) return unexpected(path, "an object");
    if (!is_tensor_name(path[0])) {
      return Error{fmt::format("the tensor name \"{}\" ({} bytes) is not 1 to {} visible ASCII characters",
                               printable(path[0]), path[0].size(), kMaxTensorNameBytes)};
    }
    entries.push_back({.name = path[0], .dtype = {}, .shape = {}, .offsets = {}});
    return {};
  }

  Status begin_array(JsonPath path) override {
    std::optional<std::vector<u64>>* list = list_at(path);
    if (list == nullptr || list->has_value()) return unexpected(path, "an array");  // also an array inside the array
    list->emplace();
    return {};
  }

  Status number(JsonPath path, u64 value) override {
    std::optional<std::vector<u64>>* list = list_at(path);
    if (list == nullptr || !list->has_value()) return unexpected(path, "a number");
    if ((*list)->size() == kMaxDimensions) {
      return Error{fmt::format("tensor {}: more than {} numbers in \"{}\"", path[0], kMaxDimensions, path[1])};
    }
    (*list)->push_back(value);
    return {};
  }

  Status text(JsonPath path, std::string_view value) override {
    if (path.size() == 2 && path[0] == kMetadata) return {};
    if (path.size() != 2 || path[1] != "dtype") return unexpected(path, "a string");
    const auto* info = std::ranges::find(kDTypes, value, &DTypeInfo::name);
    if (info == kDTypes.end()) {
      return Error{
          fmt::format("tensor {}: unknown dtype \"{}\"; known are {}", path[0], printable(value), known_dtypes())};
    }
    entries.back().dtype = info->dtype;
    return {};
  }

 private:
  static constexpr std::string_view kMetadata = "__metadata__";

  static std::string known_dtypes() {
    std::string names;
    for (const DTypeInfo& info : kDTypes) names += fmt::format("{}{}", names.empty() ? "" : ", ", info.name);
    return names;
  }

  // The list of the current tensor that such a path means; the walk visits a tensor's values right after its begin.
  std::optional<std::vector<u64>>* list_at(JsonPath path) {
    if (path.size() != 2 || path[0] == kMetadata) return nullptr;
    if (path[1] == "shape") return &entries.back().shape;
    if (path[1] == "data_offsets") return &entries.back().offsets;
    return nullptr;
  }
};

// Bytes of a shape, or why the shape cannot be.
Result<u64> tensor_bytes(const std::string& tensor, DType dtype, const std::vector<u64>& shape) {
  if (shape.empty())
    return Error{fmt::format("tensor {}: shape [] has no dimension; 1 to {} are wanted", tensor, kMaxDimensions)};
  CheckedSize size(element_bytes(dtype));
  for (const u64 n : shape) {
    if (n == 0) return Error{fmt::format("tensor {}: a dimension of shape [{}] is 0", tensor, listed(shape))};
    size = size * n;
  }
  if (!size.value()) {
    return Error{fmt::format("tensor {}: shape [{}] is more than 2^64 bytes", tensor, listed(shape))};
  }
  return *size.value();
}

// What follows the header; `data` is empty where it is not there.
struct Payload {
  u64 offset;
  u64 bytes;
  Bytes data;
};

// One entry against the payload it describes.
Result<Tensor> checked_tensor(HeaderEntry entry, const Payload& payload) {
  if (!entry.dtype || !entry.shape || !entry.offsets) {
    return Error{fmt::format("tensor {}: \"{}\" is missing", entry.name,
                             !entry.dtype   ? "dtype"
                             : !entry.shape ? "shape"
                                            : "data_offsets")};
  }
  const Result<u64> bytes = tensor_bytes(entry.name, *entry.dtype, *entry.shape);
  if (!bytes) return bytes.error();
  const std::vector<u64>& offsets = *entry.offsets;
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    return Error{fmt::format("tensor {}: data_offsets [{}] are not a begin and an end", entry.name, listed(offsets))};
  }
  if (offsets[1] > payload.bytes) {
    return Error{
        fmt::format("tensor {}: its data ends at byte {} of the payload, which has {} bytes; if this is a download, "
                    "it is incomplete: fetch the file again",
                    entry.name, offsets[1], payload.bytes)};
  }
  if (offsets[1] - offsets[0] != *bytes) {
    return Error{fmt::format("tensor {}: {} [{}] needs {} bytes, data_offsets [{}] hold {}", entry.name,
                             name(*entry.dtype), listed(*entry.shape), *bytes, listed(offsets),
                             offsets[1] - offsets[0])};
  }
  return Tensor{.name = std::move(entry.name),
                .dtype = *entry.dtype,
                .shape = *std::move(entry.shape),
                .bytes = *bytes,
                .data = payload.data.empty() ? Bytes() : payload.data.subspan(offsets[0], *bytes),
                .file_offset = payload.offset + offsets[0]};
}

// The tensors (sorted by place) must tile the payload: a hole or an overlap means that the header lies somewhere.
Status check_tiling(const std::vector<Tensor>& tensors, const Payload& payload, std::string_view what) {
  u64 free = payload.offset;
  for (const Tensor& tensor : tensors) {
    if (tensor.file_offset != free) {
      return Error{
          fmt::format("{}: tensor {}: its data begins at byte {} of the payload, but the tensor before it ends at {}",
                      what, tensor.name, tensor.file_offset - payload.offset, free - payload.offset)};
    }
    free += tensor.bytes;
  }
  if (free != payload.offset + payload.bytes) {
    return Error{fmt::format("{}: the tensors fill {} bytes of the payload, which has {}", what, free - payload.offset,
                             payload.bytes)};
  }
  return {};
}

// The header's JSON, or why there is none.
Result<std::string_view> header_text(Bytes file, u64 file_bytes, std::string_view what) {
  if (as_text(file).starts_with("version https://git-lfs")) {
    return Error{fmt::format("{}: a Git LFS pointer, not the file itself; run `git lfs pull` in its folder", what)};
  }
  if (file.size() < kLengthBytes) {
    return Error{fmt::format("{}: {} bytes, too short for a safetensors file", what, file_bytes)};
  }
  const u64 length = load<u64>(file.data());
  if (length > kMaxHeaderBytes) {
    return Error{fmt::format("{}: not a safetensors file: its header would have {} bytes (at most {})", what, length,
                             kMaxHeaderBytes)};
  }
  if (length > file.size() - kLengthBytes) {
    return Error{fmt::format("{}: the header should have {} bytes, the file ends after {}; fetch the file again", what,
                             length, file.size() - kLengthBytes)};
  }
  return as_text(file.subspan(kLengthBytes, length));
}

// Of a whole file, or of its header alone.
Result<std::vector<Tensor>> parse(Bytes file, u64 file_bytes, std::string_view what) {
  const Result<std::string_view> text = header_text(file, file_bytes, what);
  if (!text) return text.error();
  HeaderVisitor header;
  if (Status walked = walk_json(*text, what, header); !walked) return walked.error();

  const u64 offset = kLengthBytes + text->size();
  const Payload payload{.offset = offset, .bytes = file_bytes - offset, .data = file.subspan(offset)};
  std::vector<Tensor> tensors;
  tensors.reserve(header.entries.size());
  for (HeaderEntry& entry : header.entries) {
    Result<Tensor> tensor = checked_tensor(std::move(entry), payload);
    if (!tensor) return Error{fmt::format("{}: {}", what, tensor.error().message)};
    tensors.push_back(*std::move(tensor));
  }
  std::ranges::sort(tensors, {}, &Tensor::file_offset);
  if (Status tiled = check_tiling(tensors, payload, what); !tiled) return tiled.error();
  return tensors;
}

}  // namespace

std::string_view name(DType dtype) {
  return kDTypes.at(static_cast<std::size_t>(dtype)).name;
}

u64 element_bytes(DType dtype) {
  return kDTypes.at(static_cast<std::size_t>(dtype)).bytes;
}

std::string describe(const Tensor& tensor) {
  return fmt::format("{} [{}]", name(tensor.dtype), listed(tensor.shape));
}

Bytes safetensors_header(Bytes file) {
  if (file.size() < kLengthBytes) return file;
  return file.first(std::min<u64>(file.size() - kLengthBytes, load<u64>(file.data())) + kLengthBytes);
}

Result<std::vector<Tensor>> parse_safetensors(Bytes file, std::string_view what) {
  return parse(file, file.size(), what);
}

Result<std::vector<Tensor>> parse_safetensors_header(Bytes header, u64 file_bytes, std::string_view what) {
  if (file_bytes < header.size()) return Error{fmt::format("{}: its header is longer than the file", what)};
  return parse(header, file_bytes, what);
}

}  // namespace bolide::formats
