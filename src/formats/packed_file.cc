#include "formats/packed_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/mapped_file.h"
#include "formats/packed_header.h"
#include "formats/packed_plan.h"

namespace bolide::formats {
namespace {

Status check_hash(Bytes bytes, const Sha256Digest& wanted, std::string_view what) {
  if (sha256(bytes) == wanted) return {};
  return Error{
      fmt::format("{} does not have the hash the header names: the file is damaged; copy or convert it again", what)};
}

// The table's records, after its hash was compared.
Result<std::vector<PackedRecord>> read_table(Bytes file, const PackedHeader& header) {
  const Bytes table = file.subspan(header.table_offset, header.table_count * kPackedRecordBytes);
  if (Status hash = check_hash(table, header.table_digest, "the table of tensors"); !hash) return hash.error();
  std::vector<PackedRecord> records;
  records.reserve(header.table_count);
  for (u64 i = 0; i < header.table_count; ++i) {
    Result<PackedRecord> record = decode_packed_record(table.subspan(i * kPackedRecordBytes, kPackedRecordBytes));
    if (!record) return Error{fmt::format("record {} of the table: {}", i, record.error().message)};
    records.push_back(*std::move(record));
  }
  return records;
}

bool is_at(const PackedRecord& record, const Placement& place) {
  return record.codes_offset == place.codes_offset && record.codes_bytes == place.codes_bytes &&
         record.scales_offset == place.scales_offset && record.scales_bytes == place.scales_bytes;
}

// Version 1 leaves no choice of places: everything must lie where the plan of these tensors puts it, inside the file.
Status check_places(const PackedHeader& header, const std::vector<PackedRecord>& records, const PackedPlan& plan) {
  if (header.table_offset != plan.table_offset) {
    return Error{fmt::format("the table is at byte {}, wanted at {}", header.table_offset, plan.table_offset)};
  }
  for (std::size_t i = 0; i < header.documents.size(); ++i) {
    if (header.documents[i].offset == plan.document_offsets[i]) continue;
    return Error{fmt::format("document {} is at byte {}, wanted at {}", i, header.documents[i].offset,
                             plan.document_offsets[i])};
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    const PackedRecord& record = records[i];
    const Placement& place = plan.tensors[i];
    if (is_at(record, place)) {
      if (place.end() <= header.file_bytes) continue;
      return Error{fmt::format("tensor {}: it ends at byte {}, the file at {}", record.spec.name, place.end(),
                               header.file_bytes)};
    }
    return Error{fmt::format("tensor {}: codes of {} bytes at {} and scales of {} at {}; wanted {} at {} and {} at {}",
                             record.spec.name, record.codes_bytes, record.codes_offset, record.scales_bytes,
                             record.scales_offset, place.codes_bytes, place.codes_offset, place.scales_bytes,
                             place.scales_offset)};
  }
  if (header.file_bytes != plan.file_bytes) {
    return Error{fmt::format("the file has {} bytes, its tensors need {}", header.file_bytes, plan.file_bytes)};
  }
  return {};
}

// Everything that can be checked without touching the weights.
struct Contents {
  PackedHeader header;
  std::vector<PackedRecord> records;
  std::vector<Placement> places;
};

Result<Contents> read_contents(Bytes file) {
  const Result<PackedHeader> header = decode_packed_header(file);
  if (!header) return header.error();
  Result<std::vector<PackedRecord>> records = read_table(file, *header);
  if (!records) return records.error();
  std::vector<PackedSpec> specs;
  specs.reserve(records->size());
  for (const PackedRecord& record : *records) specs.push_back(record.spec);
  const DocumentPlaces& documents = header->documents;
  Result<PackedPlan> plan = plan_packed_file(specs, {documents[0].bytes, documents[1].bytes, documents[2].bytes});
  if (!plan) return plan.error();
  if (Status places = check_places(*header, *records, *plan); !places) return places.error();
  for (const DocumentPlace& document : documents) {
    const Bytes bytes = file.subspan(document.offset, document.bytes);
    if (Status hash = check_hash(bytes, document.digest, "a JSON document"); !hash) return hash.error();
  }
  return Contents{.header = *header, .records = *std::move(records), .places = std::move(plan->tensors)};
}

}  // namespace

Bytes PackedTensor::codes(u64 expert) const {
  check(expert < spec.shape.experts, "the expert is one of the tensor's");
  return all_codes.subspan(expert * placement.codes_stride, placement.expert.codes);
}

Bytes PackedTensor::scales(u64 expert) const {
  check(expert < spec.shape.experts, "the expert is one of the tensor's");
  return all_scales.subspan(expert * placement.scales_stride, placement.expert.scales);
}

Result<PackedFile> PackedFile::open(const std::string& path) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  const auto mapping = std::make_shared<const MappedFile>(*std::move(file));
  return from_memory(path, mapping->bytes(), mapping);
}

Result<PackedFile> PackedFile::from_memory(std::string path, Bytes bytes, std::shared_ptr<const void> owner) {
  Result<Contents> contents = read_contents(bytes);
  if (!contents) return Error{fmt::format("{}: {}", path, contents.error().message)};

  PackedFile file;
  file.path_ = std::move(path);
  file.bytes_ = bytes;
  file.owner_ = std::move(owner);
  const auto document = [&](const DocumentPlace& place) { return as_text(bytes.subspan(place.offset, place.bytes)); };
  file.config_ = document(contents->header.documents[0]);
  file.tokenizer_ = document(contents->header.documents[1]);
  file.engram_ = document(contents->header.documents[2]);
  file.tensors_.reserve(contents->records.size());
  for (std::size_t i = 0; i < contents->records.size(); ++i) {
    PackedRecord& record = contents->records[i];
    const Placement& place = contents->places[i];
    file.by_name_.emplace(record.spec.name, i);
    file.tensors_.push_back({.spec = std::move(record.spec),
                             .placement = place,
                             .digest = record.digest,
                             .all_codes = bytes.subspan(place.codes_offset, place.codes_bytes),
                             .all_scales = bytes.subspan(place.scales_offset, place.scales_bytes)});
  }
  return file;
}

const PackedTensor* PackedFile::find(std::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? nullptr : &tensors_[found->second];
}

Status PackedFile::verify_contents() const {
  for (const PackedTensor& tensor : tensors_) {
    if (tensor.digest == Sha256Digest{}) {
      return Error{fmt::format("{}: tensor {} has no hash to compare its contents with", path_, tensor.spec.name)};
    }
    Sha256 hash;
    hash.update(tensor.all_codes);
    hash.update(tensor.all_scales);
    if (hash.finish() == tensor.digest) continue;
    return Error{
        fmt::format("{}: tensor {} does not have the hash the table names: the file is damaged; copy or convert it "
                    "again",
                    path_, tensor.spec.name)};
  }
  return {};
}

}  // namespace bolide::formats
