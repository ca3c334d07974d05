#include "formats/packed_header.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "formats/checked_size.h"
#include "formats/names.h"

namespace bolide::formats {
namespace {

constexpr std::string_view kMagic = "BOLIDEPK";
constexpr std::size_t kNameField = kMaxTensorNameBytes + 1;
constexpr std::size_t kClassField = kMaxClassBytes + 1;
constexpr std::array<std::string_view, 3> kDocumentNames{"config", "tokenizer", "Engram constants"};

// Writes fields one after the other.
class FieldWriter {
 public:
  explicit FieldWriter(std::span<std::byte> to) : to_(to) {}
  template <class T>
  void put(const T& value) {
    store(next(sizeof value), value);
  }
  void put_text(std::string_view text, std::size_t field_bytes) {
    std::ranges::copy(as_bytes(text), next(field_bytes));
  }

 private:
  std::byte* next(std::size_t bytes) {
    std::byte* at = to_.first(bytes).data();
    to_ = to_.subspan(bytes);
    return at;
  }
  std::span<std::byte> to_;
};

// Reads fields one after the other; the caller hands over as many bytes as the fields have.
class FieldReader {
 public:
  explicit FieldReader(Bytes from) : from_(from) {}
  template <class T>
  T get() {
    return load<T>(next(sizeof(T)).data());
  }
  // Text up to the first zero byte; nothing where other bytes follow it or it is not a name.
  std::optional<std::string> get_name(std::size_t field_bytes) {
    const std::string_view field = as_text(next(field_bytes));
    const std::string_view text = field.substr(0, field.find('\0'));
    const bool zeros_follow = field.find_first_not_of('\0', text.size()) == std::string_view::npos;
    if (text.size() == field_bytes || !zeros_follow || !is_tensor_name(text)) return std::nullopt;
    return std::string(text);
  }

 private:
  Bytes next(std::size_t bytes) {
    const Bytes field = from_.first(bytes);
    from_ = from_.subspan(bytes);
    return field;
  }
  Bytes from_;
};

bool lies_inside(u64 offset, CheckedSize bytes, u64 file_bytes) {
  const std::optional<u64> end = (CheckedSize(offset) + bytes).value();
  return offset >= kPackedHeaderBytes && end && *end <= file_bytes;
}

// Magic and hash: is this one of our headers, and unhurt?
Status check_seal(Bytes file) {
  if (file.size() < kPackedHeaderBytes) {
    return Error{fmt::format("{} bytes, too short for a packed weights file", file.size())};
  }
  if (as_text(file.first(kMagic.size())) != kMagic) {
    return Error{fmt::format("not a packed weights file: it begins with \"{}\", not \"{}\"",
                             printable(as_text(file.first(kMagic.size()))), kMagic)};
  }
  const Sha256Digest digest = sha256(file.first(kHeaderDigestAt));
  if (!std::ranges::equal(digest, file.subspan(kHeaderDigestAt, digest.size()))) {
    return Error{"the header does not have the hash it names: the file is damaged; copy or convert it again"};
  }
  return {};
}

Status check_versions(u32 version, u32 arithmetic) {
  if (version != kPackedVersion) {
    return Error{
        fmt::format("packed format version {}, but this program reads version {}; convert the checkpoint again or "
                    "use the Bolide that wrote it",
                    version, kPackedVersion)};
  }
  if (arithmetic != kArithmeticVersion) {
    return Error{
        fmt::format("made for arithmetic version {}, but this program computes version {}; convert the checkpoint "
                    "again or use the Bolide that wrote it",
                    arithmetic, kArithmeticVersion)};
  }
  return {};
}

}  // namespace

void encode(const PackedHeader& header, std::span<std::byte> to) {
  check(to.size() == kPackedHeaderBytes, "the header has its fixed size");
  std::ranges::fill(to, std::byte{0});
  FieldWriter fields(to);
  fields.put_text(kMagic, kMagic.size());
  fields.put(kPackedVersion);
  fields.put(kArithmeticVersion);
  fields.put(header.file_bytes);
  fields.put(header.table_offset);
  fields.put(header.table_count);
  fields.put(header.table_digest);
  for (const DocumentPlace& document : header.documents) {
    fields.put(document.offset);
    fields.put(document.bytes);
    fields.put(document.digest);
  }
  store(to.data() + kHeaderDigestAt, sha256(to.first(kHeaderDigestAt)));
}

void encode(const PackedRecord& record, std::span<std::byte> to) {
  check(to.size() == kPackedRecordBytes, "a record has its fixed size");
  std::ranges::fill(to, std::byte{0});
  FieldWriter fields(to);
  fields.put_text(record.spec.name, kNameField);
  fields.put_text(record.spec.tensor_class, kClassField);
  fields.put(static_cast<u32>(record.spec.shape.type));
  fields.put(static_cast<u32>(record.spec.shape.form));
  fields.put(record.spec.shape.experts);
  fields.put(record.spec.shape.rows);
  fields.put(record.spec.shape.columns);
  fields.put(record.codes_offset);
  fields.put(record.codes_bytes);
  fields.put(record.scales_offset);
  fields.put(record.scales_bytes);
  fields.put(record.digest);
}

Result<PackedHeader> decode_packed_header(Bytes file) {
  if (Status sealed = check_seal(file); !sealed) return sealed.error();
  FieldReader fields(file.subspan(kMagic.size(), kPackedHeaderBytes - kMagic.size()));
  const auto version = fields.get<u32>();
  const auto arithmetic = fields.get<u32>();
  if (Status known = check_versions(version, arithmetic); !known) return known.error();

  PackedHeader header;
  header.file_bytes = fields.get<u64>();
  header.table_offset = fields.get<u64>();
  header.table_count = fields.get<u64>();
  header.table_digest = fields.get<Sha256Digest>();
  for (DocumentPlace& document : header.documents) {
    document.offset = fields.get<u64>();
    document.bytes = fields.get<u64>();
    document.digest = fields.get<Sha256Digest>();
  }
  if (header.file_bytes != file.size()) {
    return Error{
        fmt::format("the file has {} bytes, its header says {}: it is incomplete or damaged; copy or convert it again",
                    file.size(), header.file_bytes)};
  }
  if (!lies_inside(header.table_offset, CheckedSize(header.table_count) * kPackedRecordBytes, file.size())) {
    return Error{fmt::format("the table of {} tensors at byte {} lies outside the file of {} bytes", header.table_count,
                             header.table_offset, file.size())};
  }
  for (std::size_t i = 0; i < header.documents.size(); ++i) {
    const DocumentPlace& document = header.documents[i];
    if (lies_inside(document.offset, document.bytes, file.size())) continue;
    return Error{fmt::format("the {} document of {} bytes at byte {} lies outside the file of {} bytes",
                             kDocumentNames[i], document.bytes, document.offset, file.size())};
  }
  return header;
}

Result<PackedRecord> decode_packed_record(Bytes record) {
  check(record.size() == kPackedRecordBytes, "a record has its fixed size");
  FieldReader fields(record);
  const std::optional<std::string> tensor_name = fields.get_name(kNameField);
  if (!tensor_name) return Error{"the name of the tensor is not visible ASCII filled up with zero bytes"};
  const std::optional<std::string> tensor_class = fields.get_name(kClassField);
  if (!tensor_class) {
    return Error{fmt::format("tensor {}: its class is not visible ASCII filled up with zero bytes", *tensor_name)};
  }
  const auto type_number = fields.get<u32>();
  const std::optional<WeightType> type = weight_type(type_number);
  if (!type) {
    return Error{
        fmt::format("tensor {}: unknown type {}; a newer Bolide may read this file", *tensor_name, type_number)};
  }
  const auto form_number = fields.get<u32>();
  if (form_number > static_cast<u32>(Form::kTiled)) {
    return Error{
        fmt::format("tensor {}: unknown form {}; a newer Bolide may read this file", *tensor_name, form_number)};
  }
  PackedRecord result;
  result.spec.name = *tensor_name;
  result.spec.tensor_class = *tensor_class;
  result.spec.shape = {.type = *type,
                       .form = static_cast<Form>(form_number),
                       .experts = fields.get<u64>(),
                       .rows = fields.get<u64>(),
                       .columns = fields.get<u64>()};
  result.codes_offset = fields.get<u64>();
  result.codes_bytes = fields.get<u64>();
  result.scales_offset = fields.get<u64>();
  result.scales_bytes = fields.get<u64>();
  result.digest = fields.get<Sha256Digest>();
  return result;
}

Status check_spec(const PackedSpec& spec) {
  if (!is_tensor_name(spec.name)) {
    return Error{fmt::format("the tensor name \"{}\" is not 1 to {} visible ASCII characters", printable(spec.name),
                             kMaxTensorNameBytes)};
  }
  if (!is_tensor_name(spec.tensor_class) || spec.tensor_class.size() > kMaxClassBytes) {
    return Error{fmt::format("tensor {}: its class \"{}\" is not 1 to {} visible ASCII characters", spec.name,
                             printable(spec.tensor_class), kMaxClassBytes)};
  }
  return {};
}

}  // namespace bolide::formats
