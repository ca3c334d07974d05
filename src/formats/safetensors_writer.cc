#include "formats/safetensors_writer.h"

#include <fmt/format.h>
#include <set>

#include "base/check.h"
#include "formats/checked_size.h"
#include "formats/names.h"

namespace bolide::formats {
namespace {

constexpr u64 kLengthBytes = 8;

// Bytes of a tensor, if there can be such a one.
Result<u64> tensor_bytes(const SafetensorsSpec& spec) {
  CheckedSize bytes(element_bytes(spec.dtype));
  for (const u64 dimension : spec.shape) bytes = bytes * dimension;
  if (spec.shape.empty() || spec.shape.size() > 4 || !bytes.value() || *bytes.value() == 0) {
    return Error{fmt::format("tensor {}: no tensor has the shape [{}]", printable(spec.name), listed(spec.shape))};
  }
  return *bytes.value();
}

}  // namespace

Result<SafetensorsWriter> SafetensorsWriter::create(const std::string& path,
                                                    const std::vector<SafetensorsSpec>& specs) {
  std::string header = "{";
  std::vector<u64> ends;
  std::set<std::string_view> names;
  CheckedSize free(0);
  for (const SafetensorsSpec& spec : specs) {
    if (!is_tensor_name(spec.name) || spec.name.find_first_of("\"\\") != std::string::npos ||
        !names.insert(spec.name).second) {
      return Error{fmt::format("{}: tensor {}: no name for a tensor, or there twice", path, printable(spec.name))};
    }
    const Result<u64> bytes = tensor_bytes(spec);
    if (!bytes) return Error{fmt::format("{}: {}", path, bytes.error().message)};
    const u64 begin = *free.value();
    free = free + *bytes;
    if (!free.value()) return Error{fmt::format("{}: the tensors are more than a file can hold", path)};
    header += fmt::format(R"({}"{}":{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", begin == 0 ? "" : ",",
                          spec.name, name(spec.dtype), listed(spec.shape), begin, *free.value());
    ends.push_back(*free.value());
  }
  header += "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');  // so that the payload is aligned

  const u64 payload_at = kLengthBytes + header.size();
  Result<PartialFile> file = PartialFile::create(path, payload_at + *free.value());
  if (!file) return file.error();
  SafetensorsWriter writer(*std::move(file));
  const u64 length = header.size();
  if (Status written = writer.file_.write_at(0, std::as_bytes(std::span(&length, 1))); !written) return written.error();
  if (Status written = writer.file_.write_at(kLengthBytes, as_bytes(header)); !written) return written.error();
  writer.payload_bytes_ = *free.value();
  u64 begin = payload_at;
  for (const u64 end : ends) {
    writer.places_.push_back({.position = begin, .end = payload_at + end});
    begin = payload_at + end;
  }
  return writer;
}

Status SafetensorsWriter::append(std::size_t tensor, Bytes piece) {
  Place& place = places_.at(tensor);
  check(piece.size() <= place.end - place.position, "no tensor gets more bytes than its shape holds");
  if (Status written = file_.write_at(place.position, piece); !written) return written;
  place.position += piece.size();
  return {};
}

Status SafetensorsWriter::finish() {
  for (const Place& place : places_) check(place.position == place.end, "every tensor was appended in full");
  return file_.commit();
}

}  // namespace bolide::formats
