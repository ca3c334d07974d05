#include "formats/gguf_header.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>
#include <utility>

#include "formats/checked_size.h"
#include "formats/names.h"

namespace bolide::formats {
namespace {

constexpr std::string_view kMagic = "GGUF";
constexpr u32 kVersion = 3;
constexpr u64 kDefaultAlignment = 32;
constexpr u64 kMaxAlignment = 1 << 20;
constexpr u64 kMaxDimensions = 4;
constexpr u32 kMaxArrayDepth = 4;

// Reads field after field. A step beyond the end of the file is an error; nothing is allocated for what is read.
class Cursor {
 public:
  explicit Cursor(Bytes file) : file_(file) {}

  u64 position() const { return position_; }
  u64 left() const { return file_.size() - position_; }

  template <class T>
  Result<T> number() {
    const Result<Bytes> bytes = take(sizeof(T));
    if (!bytes) return bytes.error();
    return load<T>(bytes->data());
  }

  Result<Bytes> take(u64 bytes) {
    if (bytes > left()) {
      return Error{
          fmt::format("{} bytes are wanted at byte {}, but the file ends after {}; if this is a download or one "
                      "of several pieces, it is incomplete",
                      bytes, position_, file_.size())};
    }
    const Bytes taken = file_.subspan(position_, bytes);
    position_ += bytes;
    return taken;
  }

  // A length and so many characters.
  Result<std::string_view> text() {
    const Result<u64> length = number<u64>();
    if (!length) return length.error();
    const Result<Bytes> bytes = take(*length);
    if (!bytes) return bytes.error();
    return as_text(*bytes);
  }

  // A tensor's name or a key.
  Result<std::string_view> name(std::string_view kind) {
    const Result<std::string_view> name = text();
    if (!name) return name.error();
    if (is_tensor_name(*name)) return *name;
    return Error{fmt::format("the {} \"{}\" ({} bytes) is not 1 to {} visible ASCII characters", kind, printable(*name),
                             name->size(), kMaxTensorNameBytes)};
  }

 private:
  Bytes file_;
  u64 position_ = 0;
};

// The fewest bytes that a value of the type takes in an array; 0 for what is no type.
u64 least_bytes(GgufValueType type) {
  if (type == GgufValueType::kString) return 8;
  if (type == GgufValueType::kArray) return 12;
  return fixed_bytes(type);
}

Result<GgufValueType> read_value_type(Cursor& cursor) {
  const Result<u32> number = cursor.number<u32>();
  if (!number) return number.error();
  const auto type = static_cast<GgufValueType>(*number);
  if (least_bytes(type) == 0) return Error{fmt::format("its type {} is unknown", *number)};
  return type;
}

Status skip_elements(Cursor& cursor, GgufValueType type, u64 count, u32 depth);

// Type and number of an array's elements.
Status read_array_head(Cursor& cursor, GgufValue& array) {
  const Result<GgufValueType> element = read_value_type(cursor);
  if (!element) return element.error();
  const Result<u64> count = cursor.number<u64>();
  if (!count) return count.error();
  if (*count > cursor.left() / least_bytes(*element)) {
    return Error{fmt::format("an array of {} elements at byte {} does not fit into the {} bytes that follow", *count,
                             cursor.position(), cursor.left())};
  }
  array.element = *element;
  array.count = *count;
  return {};
}

Status skip_value(Cursor& cursor, GgufValueType type, u32 depth) {
  if (type == GgufValueType::kString) {
    const Result<std::string_view> text = cursor.text();
    return text ? Status() : Status(text.error());
  }
  GgufValue array;
  if (Status head = read_array_head(cursor, array); !head) return head;
  return skip_elements(cursor, array.element, array.count, depth);
}

Status skip_elements(Cursor& cursor, GgufValueType type, u64 count, u32 depth) {
  if (depth > kMaxArrayDepth) return Error{fmt::format("arrays inside arrays, more than {} deep", kMaxArrayDepth)};
  if (const u64 bytes = fixed_bytes(type); bytes > 0) {
    const Result<Bytes> skipped = cursor.take(count * bytes);  // count was compared with what is left
    return skipped ? Status() : Status(skipped.error());
  }
  for (u64 i = 0; i < count; ++i) {
    if (Status skipped = skip_value(cursor, type, depth + 1); !skipped) return skipped;
  }
  return {};
}

Result<GgufValue> read_value(Cursor& cursor, Bytes file) {
  const Result<GgufValueType> type = read_value_type(cursor);
  if (!type) return type.error();
  GgufValue value{.type = *type};
  if (*type == GgufValueType::kString) {
    const Result<std::string_view> text = cursor.text();
    if (!text) return text.error();
    value.data = as_bytes(*text);
    return value;
  }
  if (*type != GgufValueType::kArray) {
    const Result<Bytes> bytes = cursor.take(fixed_bytes(*type));
    if (!bytes) return bytes.error();
    value.data = *bytes;
    return value;
  }
  if (Status head = read_array_head(cursor, value); !head) return head.error();
  const u64 begin = cursor.position();
  if (Status skipped = skip_elements(cursor, value.element, value.count, 1); !skipped) return skipped.error();
  value.data = file.subspan(begin, cursor.position() - begin);
  return value;
}

Status read_values(Cursor& cursor, Bytes file, u64 count, GgufHeader& header) {
  std::unordered_set<std::string_view> keys;
  for (u64 i = 0; i < count; ++i) {
    const Result<std::string_view> key = cursor.name("key");
    if (!key) return Error{fmt::format("metadata value {} of {}: {}", i, count, key.error().message)};
    if (!keys.insert(*key).second) return Error{fmt::format("metadata key {}: it is there twice", *key)};
    const Result<GgufValue> value = read_value(cursor, file);
    if (!value) return Error{fmt::format("metadata key {}: {}", *key, value.error().message)};
    header.values.push_back({*key, *value});
  }
  return {};
}

Result<u64> read_alignment(const GgufHeader& header) {
  const GgufValue* value = header.find("general.alignment");
  if (value == nullptr) return kDefaultAlignment;
  const u64 alignment = value->whole().value_or(0);
  if (std::has_single_bit(alignment) && alignment <= kMaxAlignment) return alignment;
  return Error{fmt::format("metadata key general.alignment must be a power of two up to {}, but is {}", kMaxAlignment,
                           value->whole() ? std::to_string(alignment) : "no whole number")};
}

// A tensor as the header describes it, before its data is looked at.
struct TensorInfo {
  GgufTensor tensor;
  u64 offset = 0;
};

Result<std::vector<u64>> read_dimensions(Cursor& cursor) {
  const Result<u32> count = cursor.number<u32>();
  if (!count) return count.error();
  if (*count == 0 || *count > kMaxDimensions) {
    return Error{fmt::format("it has {} dimensions; 1 to {} are possible", *count, kMaxDimensions)};
  }
  std::vector<u64> dimensions;
  for (u32 i = 0; i < *count; ++i) {
    const Result<u64> dimension = cursor.number<u64>();
    if (!dimension) return dimension.error();
    dimensions.push_back(*dimension);
  }
  if (std::ranges::find(dimensions, 0) != dimensions.end()) {
    return Error{fmt::format("a dimension of [{}] is 0", listed(dimensions))};
  }
  return dimensions;
}

Status read_info(Cursor& cursor, TensorInfo& info) {
  Result<std::vector<u64>> dimensions = read_dimensions(cursor);
  if (!dimensions) return dimensions.error();
  info.tensor.dimensions = *std::move(dimensions);
  const Result<u32> number = cursor.number<u32>();
  if (!number) return number.error();
  const std::optional<GgufType> type = gguf_type(*number);
  if (!type) return Error{unreadable_type(*number)};
  info.tensor.type = *type;
  const Result<u64> offset = cursor.number<u64>();
  if (!offset) return offset.error();
  info.offset = *offset;
  return {};
}

Result<std::vector<TensorInfo>> read_infos(Cursor& cursor, u64 count) {
  std::vector<TensorInfo> infos;
  std::unordered_set<std::string_view> names;
  for (u64 i = 0; i < count; ++i) {
    const Result<std::string_view> name = cursor.name("tensor name");
    if (!name) return Error{fmt::format("tensor {} of {}: {}", i, count, name.error().message)};
    if (!names.insert(*name).second) return Error{fmt::format("tensor {}: its name is there twice", *name)};
    TensorInfo info;
    info.tensor.name = *name;
    if (Status read = read_info(cursor, info); !read) {
      return Error{fmt::format("tensor {}: {}", *name, read.error().message)};
    }
    infos.push_back(std::move(info));
  }
  return infos;
}

Result<u64> tensor_bytes(const GgufTensor& tensor) {
  const GgufBlock block = block_of(tensor.type);
  if (tensor.dimensions[0] % block.elements != 0) {
    return Error{fmt::format("{} has rows of {} elements; a multiple of {} is wanted", describe(tensor),
                             tensor.dimensions[0], block.elements)};
  }
  CheckedSize bytes = CheckedSize(tensor.dimensions[0] / block.elements) * block.bytes;
  for (std::size_t i = 1; i < tensor.dimensions.size(); ++i) bytes = bytes * tensor.dimensions[i];
  if (!bytes.value()) return Error{fmt::format("{} is more than 2^64 bytes", describe(tensor))};
  return *bytes.value();
}

// Gives a tensor its data, which must lie inside the file.
Status place_tensor(TensorInfo& info, Bytes file, u64 data_offset, u64 alignment) {
  const Result<u64> bytes = tensor_bytes(info.tensor);
  if (!bytes) return bytes.error();
  if (info.offset % alignment != 0) {
    return Error{fmt::format("its offset {} is no multiple of the alignment {}", info.offset, alignment)};
  }
  const std::optional<u64> end = (CheckedSize(data_offset) + info.offset + *bytes).value();
  if (!end || *end > file.size()) {
    return Error{
        fmt::format("{} needs {} bytes at byte {} of the data, but the file ends after {} bytes of data; if "
                    "this is a download, it is incomplete; if the file is published in pieces, join them: "
                    "cat PIECE1 PIECE2 > MODEL.gguf",
                    describe(info.tensor), *bytes, info.offset, file.size() - std::min<u64>(data_offset, file.size()))};
  }
  info.tensor.file_offset = data_offset + info.offset;
  info.tensor.data = file.subspan(info.tensor.file_offset, *bytes);
  return {};
}

Status refuse_overlaps(const std::vector<GgufTensor>& tensors) {
  std::vector<const GgufTensor*> by_place;
  by_place.reserve(tensors.size());
  for (const GgufTensor& tensor : tensors) by_place.push_back(&tensor);
  std::ranges::sort(by_place, {}, &GgufTensor::file_offset);
  for (std::size_t i = 1; i < by_place.size(); ++i) {
    const u64 end = by_place[i - 1]->file_offset + by_place[i - 1]->data.size();
    if (by_place[i]->file_offset >= end) continue;
    return Error{
        fmt::format("tensor {}: its data begins at byte {} of the file, inside that of tensor {}, which ends at "
                    "{}",
                    by_place[i]->name, by_place[i]->file_offset, by_place[i - 1]->name, end)};
  }
  return {};
}

Status check_start(Cursor& cursor) {
  const Bytes none;
  const Bytes magic = cursor.left() >= kMagic.size() ? *cursor.take(kMagic.size()) : none;
  if (as_text(magic) != kMagic) {
    return Error{
        fmt::format("not a GGUF file: it begins with \"{}\", not \"{}\"; a later piece of a file that is "
                    "published in pieces must be joined with the first one",
                    printable(as_text(magic)), kMagic)};
  }
  const Result<u32> version = cursor.number<u32>();
  if (!version) return version.error();
  if (*version == kVersion) return {};
  return Error{fmt::format("GGUF version {}, but this program reads version {}", *version, kVersion)};
}

Result<GgufHeader> parse(Bytes file) {
  Cursor cursor(file);
  if (Status start = check_start(cursor); !start) return start.error();
  const Result<u64> tensor_count = cursor.number<u64>();
  if (!tensor_count) return tensor_count.error();
  const Result<u64> value_count = cursor.number<u64>();
  if (!value_count) return value_count.error();

  GgufHeader header;
  if (Status values = read_values(cursor, file, *value_count, header); !values) return values.error();
  const Result<u64> alignment = read_alignment(header);
  if (!alignment) return alignment.error();
  Result<std::vector<TensorInfo>> infos = read_infos(cursor, *tensor_count);
  if (!infos) return infos.error();
  header.data_offset = (cursor.position() + *alignment - 1) / *alignment * *alignment;
  header.tensors.reserve(infos->size());
  for (TensorInfo& info : *infos) {
    if (Status placed = place_tensor(info, file, header.data_offset, *alignment); !placed) {
      return Error{fmt::format("tensor {}: {}", info.tensor.name, placed.error().message)};
    }
    header.tensors.push_back(std::move(info.tensor));
  }
  if (Status apart = refuse_overlaps(header.tensors); !apart) return apart.error();
  return header;
}

}  // namespace

std::string describe(const GgufTensor& tensor) {
  return fmt::format("{} [{}]", name(tensor.type), listed(tensor.dimensions));
}

const GgufValue* GgufHeader::find(std::string_view key) const {
  const auto found = std::ranges::find(values, key, &GgufEntry::key);
  return found == values.end() ? nullptr : &found->value;
}

Result<GgufHeader> parse_gguf(Bytes file, std::string_view what) {
  Result<GgufHeader> header = parse(file);
  if (!header) return Error{fmt::format("{}: {}", what, header.error().message)};
  return header;
}

}  // namespace bolide::formats
