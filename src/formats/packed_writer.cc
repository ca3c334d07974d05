#include "formats/packed_writer.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <sys/mman.h>
#include <utility>

#include "formats/packed_header.h"

namespace bolide::formats {
namespace {

constexpr std::array<std::byte, kExpertAlignment> kZeros{};

// What is left of the expert's plane in which `position` (in the tensor's bytes) lies, and the padding after it.
struct PlaneRest {
  u64 bytes;
  u64 padding;
};

PlaneRest rest_of_plane(const Placement& place, u64 position) {
  if (position < place.codes_bytes) {
    return {.bytes = place.expert.codes - position % place.codes_stride,
            .padding = place.codes_stride - place.expert.codes};
  }
  return {.bytes = place.expert.scales - (position - place.codes_bytes) % place.scales_stride,
          .padding = place.scales_stride - place.expert.scales};
}

// calloc takes large memory as zeros from the system, whose pages then come as they are first written to, by all
// threads; in huge pages where the system has them on request.
std::shared_ptr<std::byte> zeroed_memory(u64 bytes) {
  constexpr u64 kHugePage = u64{2} << 20;
  std::shared_ptr<void> all(std::calloc(1, bytes + kHugePage), std::free);
  if (all == nullptr) return nullptr;
  void* aligned = all.get();
  std::size_t room = bytes + kHugePage;
  std::align(kHugePage, bytes, aligned, room);
#ifdef MADV_HUGEPAGE
  ::madvise(aligned, bytes, MADV_HUGEPAGE);  // a wish; without it the pages are small
#endif
  return {std::move(all), static_cast<std::byte*>(aligned)};
}

}  // namespace

Result<PackedWriter> PackedWriter::plan(const std::string& path, PackedDocuments documents,
                                        std::vector<PackedSpec> specs) {
  for (const PackedSpec& spec : specs) {
    if (Status good = check_spec(spec); !good) return Error{fmt::format("{}: {}", path, good.error().message)};
  }
  Result<PackedPlan> plan =
      plan_packed_file(specs, {documents.config.size(), documents.tokenizer.size(), documents.engram.size()});
  if (!plan) return Error{fmt::format("{}: {}", path, plan.error().message)};
  PackedWriter writer;
  writer.path_ = path;
  writer.documents_ = std::move(documents);
  writer.specs_ = std::move(specs);
  writer.plan_ = *std::move(plan);
  writer.progress_.resize(writer.specs_.size());
  return writer;
}

Result<PackedWriter> PackedWriter::to_file(const std::string& path, PackedDocuments documents,
                                           std::vector<PackedSpec> specs, WriteMode mode) {
  Result<PackedWriter> writer = plan(path, std::move(documents), std::move(specs));
  if (!writer) return writer.error();
  Result<PartialFile> file = open_partial_file(path, writer->size_bytes(), mode);
  if (!file) return file.error();
  writer->file_.emplace(*std::move(file));
  return writer;
}

Result<PackedWriter> PackedWriter::to_memory(const std::string& name, PackedDocuments documents,
                                             std::vector<PackedSpec> specs, ContentHashes hashes) {
  Result<PackedWriter> writer = plan(name, std::move(documents), std::move(specs));
  if (!writer) return writer.error();
  writer->hashes_ = hashes;
  writer->memory_ = zeroed_memory(writer->size_bytes());
  if (!writer->memory_) {
    return Error{fmt::format("{}: no memory for {} bytes of packed weights", name, writer->size_bytes())};
  }
  return writer;
}

Status PackedWriter::append(std::size_t tensor, Bytes piece) {
  const Placement& place = plan_.tensors.at(tensor);
  Progress& progress = progress_[tensor];
  while (!piece.empty()) {
    check(progress.position < place.bytes(), "no tensor gets more bytes than its shape holds");
    const PlaneRest rest = rest_of_plane(place, progress.position);
    const Bytes now = piece.first(std::min<u64>(piece.size(), rest.bytes));
    piece = piece.subspan(now.size());
    if (Status written = write_at(place.codes_offset + progress.position, now); !written) return written;
    if (hashes_ == ContentHashes::kMade) progress.hash.update(now);
    progress.position += now.size();
    if (now.size() < rest.bytes) continue;
    // In the file the padding is zero already.
    if (hashes_ == ContentHashes::kMade) progress.hash.update(Bytes(kZeros).first(rest.padding));
    progress.position += rest.padding;
    if (progress.position == place.bytes() && hashes_ == ContentHashes::kMade) progress.digest = progress.hash.finish();
  }
  return {};
}

WriteRange PackedWriter::range(std::size_t tensor) const {
  const Placement& place = plan_.tensors.at(tensor);
  return {.offset = place.codes_offset, .bytes = place.bytes()};
}

Sha256Digest PackedWriter::digest(std::size_t tensor) const {
  return progress_.at(tensor).digest;
}

Status PackedWriter::restore(std::size_t tensor, u64 bytes, const Sha256Digest& digest) {
  check(bytes == plan_.tensors.at(tensor).bytes(), "a tensor of a packed file is restored as a whole");
  progress_[tensor].position = bytes;
  progress_[tensor].digest = digest;
  return {};
}

Status PackedWriter::write_header() {
  PackedHeader header{.file_bytes = plan_.file_bytes,
                      .table_offset = plan_.table_offset,
                      .table_count = specs_.size(),
                      .table_digest = {},
                      .documents = {}};
  const std::array<std::string_view, 3> documents{documents_.config, documents_.tokenizer, documents_.engram};
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const Bytes text = as_bytes(documents[i]);
    header.documents[i] = {.offset = plan_.document_offsets[i], .bytes = text.size(), .digest = sha256(text)};
    if (Status written = write_at(plan_.document_offsets[i], text); !written) return written;
  }
  const std::vector<std::byte> table = encode_table();
  header.table_digest = sha256(table);
  if (Status written = write_at(header.table_offset, table); !written) return written;
  std::array<std::byte, kPackedHeaderBytes> header_bytes;
  encode(header, header_bytes);
  return write_at(0, header_bytes);
}

Result<PackedFile> PackedWriter::finish() {
  if (Status written = write_header(); !written) return written.error();
  if (!file_) return PackedFile::from_memory(path_, Bytes(memory_.get(), plan_.file_bytes), memory_);
  if (Status committed = file_->commit(); !committed) return committed.error();
  return PackedFile::open(path_);
}

std::vector<std::byte> PackedWriter::encode_table() {
  std::vector<std::byte> table(specs_.size() * kPackedRecordBytes);
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    const Placement& place = plan_.tensors[i];
    check(progress_[i].position == place.bytes(), "every tensor was appended in full");
    const PackedRecord record{.spec = specs_[i],
                              .codes_offset = place.codes_offset,
                              .codes_bytes = place.codes_bytes,
                              .scales_offset = place.scales_offset,
                              .scales_bytes = place.scales_bytes,
                              .digest = progress_[i].digest};
    encode(record, std::span(table).subspan(i * kPackedRecordBytes, kPackedRecordBytes));
  }
  return table;
}

Status PackedWriter::write_at(u64 offset, Bytes bytes) {
  if (file_) return file_->write_at(offset, bytes);
  if (!bytes.empty()) std::memcpy(memory_.get() + offset, bytes.data(), bytes.size());
  return {};
}

}  // namespace bolide::formats
