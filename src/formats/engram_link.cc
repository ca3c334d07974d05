#include "formats/engram_link.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>

#include "base/mapped_file.h"
#include "formats/checked_size.h"
#include "formats/names.h"

namespace bolide::formats {
namespace {

namespace fs = std::filesystem;

// docs/packed-file.md, "Link to Engram rows".
constexpr std::string_view kMagic = "BOLIDEEL";
constexpr u32 kVersion = 1;
constexpr u64 kLinkBytes = kEngramHeaderBytes;
constexpr u64 kFileBytesAt = 16;
constexpr u64 kBeginningDigestAt = 24;
constexpr u64 kTablesAt = 64;
constexpr u64 kTableRecordBytes = 32;
constexpr u64 kMaxTables = 62;
constexpr u64 kPathAt = kTablesAt + kMaxTables * kTableRecordBytes;  // u32 length, then the path
constexpr u64 kDigestAt = kLinkBytes - 32;
constexpr u64 kMaxPathBytes = kDigestAt - kPathAt - 4;
constexpr u64 kBeginningBytes = 1 << 20;

Result<Sha256Digest> beginning_of(const MappedFile& file) {
  std::vector<std::byte> bytes(std::min<u64>(kBeginningBytes, file.bytes().size()));
  if (Status read = file.read_at(0, bytes); !read) return read.error();
  return sha256(bytes);
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// What the link calls the file.
std::string name_for(const std::string& link_path, const std::string& rows_path) {
  std::error_code code;
  const fs::path rows = fs::absolute(rows_path, code);
  if (fs::equivalent(folder_of(link_path), folder_of(rows_path), code)) return rows.filename().string();
  return rows.lexically_normal().string();
}

Result<std::array<std::byte, kLinkBytes>> encode(const std::string& path, const EngramFile& rows) {
  const Result<MappedFile> file = MappedFile::open(rows.path);
  if (!file) return file.error();
  const Result<Sha256Digest> beginning = beginning_of(*file);
  if (!beginning) return beginning.error();
  const std::string name = name_for(path, rows.path);
  if (name.size() > kMaxPathBytes || rows.tables.empty() || rows.tables.size() > kMaxTables) {
    return Error{fmt::format("{}: a path of {} bytes and {} tables do not fit into a link", path, name.size(),
                             rows.tables.size())};
  }
  std::array<std::byte, kLinkBytes> link{};
  std::ranges::copy(as_bytes(kMagic), link.begin());
  store(&link[8], kVersion);
  store(&link[12], static_cast<u32>(rows.tables.size()));
  store(&link[kFileBytesAt], u64{file->bytes().size()});
  store(&link[kBeginningDigestAt], *beginning);
  for (std::size_t i = 0; i < rows.tables.size(); ++i) {
    std::byte* record = &link[kTablesAt + i * kTableRecordBytes];
    store(record, u64{rows.tables[i].spec.layer});
    store(record + 8, rows.tables[i].spec.rows);
    store(record + 16, rows.tables[i].spec.row_bytes);
    store(record + 24, rows.tables[i].offset);
  }
  store(&link[kPathAt], static_cast<u32>(name.size()));
  std::ranges::copy(as_bytes(name), &link[kPathAt + 4]);
  store(&link[kDigestAt], sha256(Bytes(link).first(kDigestAt)));
  return link;
}

Status check_link(Bytes link) {
  if (link.size() != kLinkBytes) return Error{fmt::format("{} bytes, wanted are {}", link.size(), kLinkBytes)};
  if (sha256(link.first(kDigestAt)) != load<Sha256Digest>(&link[kDigestAt])) {
    return Error{"it does not have the hash it names: the file is damaged"};
  }
  if (const auto version = load<u32>(&link[8]); version != kVersion) {
    return Error{fmt::format("version {}, but this program reads version {}", version, kVersion)};
  }
  const auto count = load<u32>(&link[12]);
  if (count < 1 || count > kMaxTables) return Error{fmt::format("{} tables; 1 to {} are possible", count, kMaxTables)};
  const auto length = load<u32>(&link[kPathAt]);
  if (length == 0 || length > kMaxPathBytes) return Error{"its path has no possible length"};
  return {};
}

}  // namespace

bool is_engram_link(Bytes file) {
  return file.size() >= kMagic.size() && as_text(file.first(kMagic.size())) == kMagic;
}

Result<EngramFile> open_engram_link(Bytes link, const std::string& path) {
  if (Status good = check_link(link); !good) {
    return Error{fmt::format("{}: a link to Engram rows: {}; convert again", path, good.error().message)};
  }
  const std::string name(as_text(link.subspan(kPathAt + 4, load<u32>(&link[kPathAt]))));
  EngramFile rows{.path = fs::path(name).is_absolute() ? name : folder_of(path) + "/" + name};
  const Result<MappedFile> file = MappedFile::open(rows.path);
  if (!file) {
    return Error{
        fmt::format("{}: the Engram rows lie in another file; {}; put it back, or convert again with "
                    "--engram-from",
                    path, file.error().message)};
  }
  const Result<Sha256Digest> beginning = beginning_of(*file);
  if (!beginning) return beginning.error();
  if (file->bytes().size() != load<u64>(&link[kFileBytesAt]) ||
      *beginning != load<Sha256Digest>(&link[kBeginningDigestAt])) {
    return Error{
        fmt::format("{}: {} is not the file with the Engram rows that it was when this was converted; put it "
                    "back, or convert again with --engram-from",
                    path, printable(rows.path))};
  }
  for (u64 i = 0; i < load<u32>(&link[12]); ++i) {
    const std::byte* record = &link[kTablesAt + i * kTableRecordBytes];
    EngramTable table{.spec = {.layer = static_cast<u32>(load<u64>(record)),
                               .rows = load<u64>(record + 8),
                               .row_bytes = load<u64>(record + 16)},
                      .offset = load<u64>(record + 24)};
    const std::optional<u64> end = (CheckedSize(table.spec.rows) * table.spec.row_bytes + table.offset).value();
    if (!end || *end > file->bytes().size()) {
      return Error{
          fmt::format("{}: the rows of layer {} end outside {}", path, table.spec.layer, printable(rows.path))};
    }
    rows.tables.push_back(table);
  }
  rows.identity = load<Sha256Digest>(&link[kDigestAt]);
  return rows;
}

Status write_engram_link(const std::string& path, const EngramFile& rows) {
  const auto link = encode(path, rows);
  if (!link) return link.error();
  if (const Result<MappedFile> there = MappedFile::open(path); there) {
    if (std::ranges::equal(there->bytes(), *link)) return {};
  }
  Result<PartialFile> file = PartialFile::create(path, link->size());
  if (!file) return file.error();
  if (Status written = file->write_at(0, *link); !written) return written;
  return file->commit();
}

}  // namespace bolide::formats
