#include "formats/engram_file.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "base/mapped_file.h"
#include "formats/checked_size.h"
#include "formats/engram_link.h"
#include "formats/names.h"

namespace bolide::formats {
namespace {

// docs/packed-file.md, "Engram rows file".
constexpr std::string_view kMagic = "BOLIDEER";
constexpr u32 kVersion = 1;
constexpr u64 kTablesAt = 24;
constexpr u64 kTableRecordBytes = 64;
constexpr u64 kHeaderDigestAt = kEngramHeaderBytes - 32;
constexpr u64 kMaxTables = (kHeaderDigestAt - kTablesAt) / kTableRecordBytes;
constexpr u64 kRestoreBytes = 1 << 20;
constexpr u64 kAlignment = 4096;  // of tables and of the file's end, for readers that bypass the page cache

// Where the tables lie: one after the other, each at a multiple of kAlignment.
struct EngramPlan {
  std::vector<u64> offsets;
  u64 file_bytes = 0;
};

Result<EngramPlan> plan_tables(const std::vector<EngramTableSpec>& specs) {
  EngramPlan plan;
  CheckedSize free(kEngramHeaderBytes);
  std::set<u32> layers;
  for (const EngramTableSpec& spec : specs) {
    if (!layers.insert(spec.layer).second)
      return Error{fmt::format("table of layer {}: it is there twice", spec.layer)};
    if (spec.rows == 0 || spec.row_bytes == 0) {
      return Error{fmt::format("table of layer {}: {} rows of {} bytes; neither may be 0", spec.layer, spec.rows,
                               spec.row_bytes)};
    }
    plan.offsets.push_back(free.value().value_or(0));
    free = (free + CheckedSize(spec.rows) * spec.row_bytes).rounded_up(kAlignment);
    if (!free.value()) {
      return Error{fmt::format("table of layer {}: {} rows of {} bytes are more than a file can hold", spec.layer,
                               spec.rows, spec.row_bytes)};
    }
  }
  plan.file_bytes = *free.value();
  return plan;
}

Status check_table_count(u64 count) {
  if (count >= 1 && count <= kMaxTables) return {};
  return Error{fmt::format("{} tables; 1 to {} are possible", count, kMaxTables)};
}

void encode(const std::vector<EngramTable>& tables, u64 file_bytes, std::span<std::byte> header) {
  std::ranges::copy(as_bytes(kMagic), header.begin());
  store(&header[8], kVersion);
  store(&header[12], static_cast<u32>(tables.size()));
  store(&header[16], file_bytes);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    std::byte* record = &header[kTablesAt + i * kTableRecordBytes];
    store(record, tables[i].spec.layer);
    store(record + 8, tables[i].spec.rows);
    store(record + 16, tables[i].spec.row_bytes);
    store(record + 24, tables[i].offset);
    store(record + 32, tables[i].digest);
  }
  store(&header[kHeaderDigestAt], sha256(header.first(kHeaderDigestAt)));
}

EngramTable decode_table(const std::byte* record) {
  return {.spec = {.layer = load<u32>(record), .rows = load<u64>(record + 8), .row_bytes = load<u64>(record + 16)},
          .offset = load<u64>(record + 24),
          .digest = load<Sha256Digest>(record + 32)};
}

// Magic, hash, version: is this one of our headers, and unhurt?
Status check_header(Bytes header) {
  if (header.size() < kEngramHeaderBytes) {
    return Error{fmt::format("{} bytes, too short for an Engram rows file", header.size())};
  }
  if (as_text(header.first(kMagic.size())) != kMagic) {
    return Error{fmt::format("not an Engram rows file: it begins with \"{}\", not \"{}\"",
                             printable(as_text(header.first(kMagic.size()))), kMagic)};
  }
  if (sha256(header.first(kHeaderDigestAt)) != load<Sha256Digest>(&header[kHeaderDigestAt])) {
    return Error{"the header does not have the hash it names: the file is damaged; copy or convert it again"};
  }
  if (const auto version = load<u32>(&header[8]); version != kVersion) {
    return Error{
        fmt::format("Engram rows format version {}, but this program reads version {}; convert again or use the "
                    "Bolide that wrote it",
                    version, kVersion)};
  }
  return check_table_count(load<u32>(&header[12]));
}

// The tables must lie where version 1 puts them, and the file must end there.
Status check_places(const std::vector<EngramTable>& tables, u64 named_bytes, u64 file_bytes) {
  std::vector<EngramTableSpec> specs;
  specs.reserve(tables.size());
  for (const EngramTable& table : tables) specs.push_back(table.spec);
  const Result<EngramPlan> plan = plan_tables(specs);
  if (!plan) return plan.error();
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (tables[i].offset == plan->offsets[i]) continue;
    return Error{fmt::format("table of layer {}: at byte {}, wanted at {}", tables[i].spec.layer, tables[i].offset,
                             plan->offsets[i])};
  }
  if (named_bytes != plan->file_bytes || file_bytes != plan->file_bytes) {
    return Error{
        fmt::format("the file has {} bytes, its header says {}, its tables need {}: it is incomplete or damaged; copy "
                    "or convert it again",
                    file_bytes, named_bytes, plan->file_bytes)};
  }
  return {};
}

}  // namespace

Result<EngramFile> open_engram_file(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  const Bytes bytes = file->bytes();
  if (is_engram_link(bytes)) return open_engram_link(bytes, path);
  return parse_engram_header(bytes.first(std::min<std::size_t>(bytes.size(), kEngramHeaderBytes)), bytes.size(), path);
}

Result<EngramFile> parse_engram_header(Bytes header, u64 file_bytes, std::string_view path) {
  if (Status good = check_header(header); !good) return Error{fmt::format("{}: {}", path, good.error().message)};
  EngramFile file;
  file.path = path;
  const auto count = load<u32>(&header[12]);
  for (u64 i = 0; i < count; ++i) file.tables.push_back(decode_table(&header[kTablesAt + i * kTableRecordBytes]));
  const auto named_bytes = load<u64>(&header[16]);
  if (Status places = check_places(file.tables, named_bytes, file_bytes); !places) {
    return Error{fmt::format("{}: {}", path, places.error().message)};
  }
  file.identity = load<Sha256Digest>(&header[kHeaderDigestAt]);
  return file;
}

Status verify_contents(const EngramFile& file) {
  const Result<MappedFile> mapping = MappedFile::open(file.path);
  if (!mapping) return mapping.error();
  for (const EngramTable& table : file.tables) {
    if (table.digest == Sha256Digest{}) {
      return Error{
          fmt::format("{}: the rows of layer {} have no hash to compare them with: they lie in a file of another "
                      "kind (convert --engram-from)",
                      file.path, table.spec.layer)};
    }
    if (table.offset + table.bytes() > mapping->bytes().size()) {
      return Error{
          fmt::format("{}: the file was cut to {} bytes after it was opened", file.path, mapping->bytes().size())};
    }
    if (sha256(mapping->bytes().subspan(table.offset, table.bytes())) == table.digest) continue;
    return Error{
        fmt::format("{}: the table of layer {} does not have the hash the header names: the file is damaged; copy or "
                    "convert it again",
                    file.path, table.spec.layer)};
  }
  return {};
}

Result<u64> engram_file_bytes(const std::vector<EngramTableSpec>& specs) {
  const Result<EngramPlan> plan = plan_tables(specs);
  if (!plan) return plan.error();
  return plan->file_bytes;
}

Result<EngramWriter> EngramWriter::create(const std::string& path, const std::vector<EngramTableSpec>& specs,
                                          WriteMode mode) {
  if (Status good = check_table_count(specs.size()); !good)
    return Error{fmt::format("{}: {}", path, good.error().message)};
  const Result<EngramPlan> plan = plan_tables(specs);
  if (!plan) return Error{fmt::format("{}: {}", path, plan.error().message)};
  Result<PartialFile> file = open_partial_file(path, plan->file_bytes, mode);
  if (!file) return file.error();
  EngramWriter writer;
  writer.path_ = path;
  writer.file_bytes_ = plan->file_bytes;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    writer.tables_.push_back({.spec = specs[i], .offset = plan->offsets[i]});
  }
  writer.progress_.resize(specs.size());
  writer.file_.emplace(*std::move(file));
  return writer;
}

Status EngramWriter::append(std::size_t table, Bytes piece) {
  Progress& progress = progress_.at(table);
  check(piece.size() <= tables_[table].bytes() - progress.position, "no table gets more bytes than its rows have");
  if (Status written = file_->write_at(tables_[table].offset + progress.position, piece); !written) return written;
  progress.hash.update(piece);
  progress.position += piece.size();
  if (progress.position == tables_[table].bytes()) tables_[table].digest = progress.hash.finish();
  return {};
}

Status EngramWriter::restore(std::size_t table, u64 bytes, const Sha256Digest& digest) {
  Progress& progress = progress_.at(table);
  if (bytes == tables_[table].bytes()) {
    progress.position = bytes;
    tables_[table].digest = digest;
    return {};
  }
  std::vector<std::byte> piece(kRestoreBytes);
  while (progress.position < bytes) {
    const auto now = std::span(piece).first(std::min<u64>(piece.size(), bytes - progress.position));
    if (Status read = file_->read_at(tables_[table].offset + progress.position, now); !read) return read;
    progress.hash.update(now);
    progress.position += now.size();
  }
  return {};
}

Status EngramWriter::write_header() {
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    check(progress_[i].position == tables_[i].bytes(), "every table was appended in full");
  }
  std::array<std::byte, kEngramHeaderBytes> header{};
  encode(tables_, file_bytes_, header);
  return file_->write_at(0, header);
}

Result<EngramFile> EngramWriter::finish() {
  if (Status written = write_header(); !written) return written.error();
  if (Status committed = file_->commit(); !committed) return committed.error();
  return open_engram_file(path_);
}

}  // namespace bolide::formats
