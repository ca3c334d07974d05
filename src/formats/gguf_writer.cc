#include "formats/gguf_writer.h"

#include <fmt/format.h>

#include "formats/checked_size.h"

namespace bolide::formats {
namespace {

constexpr u32 kVersion = 3;

template <class T>
void put(std::string& to, const T& value) {
  to += as_text(std::as_bytes(std::span(&value, 1)));
}

void put_text(std::string& to, std::string_view text) {
  put(to, u64{text.size()});
  to += text;
}

// Key and type of a value; its bytes follow.
void put_key(std::string& to, std::string_view key, GgufValueType type) {
  put_text(to, key);
  put(to, static_cast<u32>(type));
}

void put_array_key(std::string& to, std::string_view key, GgufValueType element, u64 count) {
  put_key(to, key, GgufValueType::kArray);
  put(to, static_cast<u32>(element));
  put(to, count);
}

std::string encode_header(const GgufMetadata& metadata, const std::vector<GgufTensorSpec>& tensors,
                          const std::vector<u64>& offsets) {
  std::string header = "GGUF";
  put(header, kVersion);
  put(header, u64{tensors.size()});
  put(header, metadata.count());
  header += metadata.encoded();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    put_text(header, tensors[i].name);
    put(header, static_cast<u32>(tensors[i].dimensions.size()));
    for (const u64 dimension : tensors[i].dimensions) put(header, dimension);
    put(header, static_cast<u32>(tensors[i].type));
    put(header, offsets[i]);
  }
  return header;
}

CheckedSize bytes_of(const GgufTensorSpec& tensor) {
  CheckedSize bytes(row_bytes(tensor.type, tensor.dimensions[0]));
  for (std::size_t i = 1; i < tensor.dimensions.size(); ++i) bytes = bytes * tensor.dimensions[i];
  return bytes;
}

}  // namespace

void GgufMetadata::add_text(std::string_view key, std::string_view value) {
  put_key(encoded_, key, GgufValueType::kString);
  put_text(encoded_, value);
  ++count_;
}

void GgufMetadata::add_u32(std::string_view key, u32 value) {
  add_value(key, {.type = GgufValueType::kU32, .data = std::as_bytes(std::span(&value, 1))});
}

void GgufMetadata::add_u64(std::string_view key, u64 value) {
  add_value(key, {.type = GgufValueType::kU64, .data = std::as_bytes(std::span(&value, 1))});
}

void GgufMetadata::add_f32(std::string_view key, float value) {
  add_value(key, {.type = GgufValueType::kF32, .data = std::as_bytes(std::span(&value, 1))});
}

void GgufMetadata::add_bool(std::string_view key, bool value) {
  const u8 byte = value ? 1 : 0;
  add_value(key, {.type = GgufValueType::kBool, .data = std::as_bytes(std::span(&byte, 1))});
}

void GgufMetadata::add_texts(std::string_view key, std::span<const std::string> values) {
  put_array_key(encoded_, key, GgufValueType::kString, values.size());
  for (const std::string& value : values) put_text(encoded_, value);
  ++count_;
}

void GgufMetadata::add_u32s(std::string_view key, std::span<const u32> values) {
  add_value(key, {GgufValueType::kArray, GgufValueType::kU32, values.size(), std::as_bytes(values)});
}

void GgufMetadata::add_i32s(std::string_view key, std::span<const i32> values) {
  add_value(key, {GgufValueType::kArray, GgufValueType::kI32, values.size(), std::as_bytes(values)});
}

void GgufMetadata::add_u64s(std::string_view key, std::span<const u64> values) {
  add_value(key, {GgufValueType::kArray, GgufValueType::kU64, values.size(), std::as_bytes(values)});
}

void GgufMetadata::add_value(std::string_view key, const GgufValue& value) {
  if (value.type == GgufValueType::kArray) {
    put_array_key(encoded_, key, value.element, value.count);
  } else {
    put_key(encoded_, key, value.type);
  }
  if (value.type == GgufValueType::kString) put(encoded_, u64{value.data.size()});
  encoded_ += as_text(value.data);
  ++count_;
}

u64 tensor_bytes(const GgufTensorSpec& tensor) {
  return bytes_of(tensor).value().value_or(0);
}

Result<GgufPlan> plan_gguf_file(GgufMetadata metadata, const std::vector<GgufTensorSpec>& tensors) {
  metadata.add_u32("general.alignment", kGgufAlignment);
  GgufPlan plan;
  std::vector<u64> offsets;  // in the data
  CheckedSize free(0);
  for (const GgufTensorSpec& tensor : tensors) {
    const CheckedSize bytes = bytes_of(tensor);
    offsets.push_back(free.value().value_or(0));
    free = (free + bytes).rounded_up(kGgufAlignment);
    if (!free.value()) return Error{fmt::format("tensor {}: it ends beyond what a file can hold", tensor.name)};
    plan.bytes.push_back(*bytes.value());
  }
  plan.header = encode_header(metadata, tensors, offsets);
  const CheckedSize data_offset = CheckedSize(plan.header.size()).rounded_up(kGgufAlignment);
  const CheckedSize file_bytes = data_offset + free;
  if (!file_bytes.value()) return Error{"the tensors are more than a file can hold"};
  plan.data_offset = *data_offset.value();
  plan.file_bytes = *file_bytes.value();
  for (const u64 offset : offsets) plan.offsets.push_back(plan.data_offset + offset);
  return plan;
}

Result<GgufWriter> GgufWriter::create(const std::string& path, GgufMetadata metadata,
                                      const std::vector<GgufTensorSpec>& tensors, WriteMode mode) {
  Result<GgufPlan> plan = plan_gguf_file(std::move(metadata), tensors);
  if (!plan) return Error{fmt::format("{}: {}", path, plan.error().message)};
  Result<PartialFile> file = open_partial_file(path, plan->file_bytes, mode);
  if (!file) return file.error();
  return GgufWriter(*std::move(plan), *std::move(file));
}

Status GgufWriter::append(std::size_t tensor, Bytes piece) {
  u64& position = positions_.at(tensor);
  check(piece.size() <= plan_.bytes[tensor] - position, "no tensor gets more bytes than its shape holds");
  if (Status written = file_.write_at(plan_.offsets[tensor] + position, piece); !written) return written;
  position += piece.size();
  return {};
}

Status GgufWriter::restore(std::size_t tensor, u64 bytes, const Sha256Digest&) {
  positions_.at(tensor) = bytes;
  return {};
}

// Last, so that a file without its name does not look like a whole one either.
Status GgufWriter::write_header() {
  check(positions_ == plan_.bytes, "every tensor was appended in full");
  return file_.write_at(0, as_bytes(plan_.header));
}

Status GgufWriter::finish() {
  if (Status written = write_header(); !written) return written;
  return file_.commit();
}

}  // namespace bolide::formats
