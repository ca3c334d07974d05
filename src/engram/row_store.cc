#include "engram/row_store.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arith/bf16.h"
#include "arith/e4m3.h"
#include "arith/e8m0.h"
#include "formats/checked_size.h"

namespace bolide::engram {
namespace {

constexpr std::size_t kScaleColumns = 32;

// Decodes one row; false where a value is not finite.
bool decode_row(Bytes row, std::span<float> values) {
  float largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float scale = arith::e8m0_value(byte_at(row, values.size() + i / kScaleColumns));
    const float value = arith::e4m3_value(byte_at(row, i)) * scale;
    if (!dialect::is_finite(value)) largest = value;
    values[i] = arith::bf16(value);
  }
  return dialect::is_finite(largest);
}

// Whether one pread can fetch a row's codes and scales.
bool lie_side_by_side(const TableSource& source, u32 head_dim) {
  const RowPlane& codes = source.codes;
  const RowPlane& scales = source.scales;
  return codes.path == scales.path && codes.stride == scales.stride && codes.offset + head_dim == scales.offset;
}

}  // namespace

Status read_values(const RowReader& reader, u32 table, std::span<const u64> rows, std::span<float> values) {
  const std::size_t n = reader.head_dim();
  check(values.size() == rows.size() * n, "there is room for the values of every row");
  std::vector<std::byte> bytes(rows.size() * reader.row_bytes());
  if (Status status = reader.read(table, rows, bytes); !status) return status;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Bytes row = Bytes(bytes).subspan(i * reader.row_bytes(), reader.row_bytes());
    if (decode_row(row, values.subspan(i * n, n))) continue;
    return Error{fmt::format("Engram table {}, row {}: holds a code that is not a finite number; the table is damaged",
                             table, rows[i])};
  }
  return {};
}

Result<std::unique_ptr<FileRows>> FileRows::open(const std::vector<TableSource>& tables, u32 head_dim) {
  check(head_dim > 0 && head_dim % kScaleColumns == 0, "the configuration was validated");
  std::unique_ptr<FileRows> store(new FileRows(head_dim));
  for (const TableSource& source : tables) {
    const bool side_by_side = lie_side_by_side(source, head_dim);
    const Result<Plane> codes =
        store->add_plane(source.codes, source.rows, side_by_side ? store->row_bytes() : head_dim);
    if (!codes) return codes.error();
    const Result<Plane> scales = store->add_plane(source.scales, source.rows, head_dim / kScaleColumns);
    if (!scales) return scales.error();
    store->tables_.push_back({*codes, *scales, side_by_side, source.rows});
  }
  return store;
}

FileRows::~FileRows() {
  for (const File& file : files_) ::close(file.fd);
}

Result<std::size_t> FileRows::open_file(const std::string& path) {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].path == path) return i;
  }
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Error{fmt::format("{}: cannot open the Engram rows: {}", path, std::strerror(errno))};
  files_.push_back({path, fd, 0});  // closed by the destructor from here on
  struct stat info{};
  if (::fstat(fd, &info) != 0) return Error{fmt::format("{}: cannot read its size: {}", path, std::strerror(errno))};
  if (!S_ISREG(info.st_mode)) return Error{path + ": is not a file"};
  files_.back().size_bytes = static_cast<u64>(info.st_size);
  return files_.size() - 1;
}

Result<FileRows::Plane> FileRows::add_plane(const RowPlane& plane, u64 rows, u64 part_bytes) {
  const Result<std::size_t> file = open_file(plane.path);
  if (!file) return file.error();
  using formats::CheckedSize;
  const std::optional<u64> end =
      (CheckedSize(plane.offset) + CheckedSize(rows == 0 ? 0 : rows - 1) * plane.stride + part_bytes).value();
  const u64 size_bytes = files_[*file].size_bytes;
  if (rows == 0 || !end || *end > size_bytes || size_bytes > u64{INT64_MAX}) {
    return Error{fmt::format("{}: {} Engram rows from byte {} on do not fit into the file's {} bytes", plane.path, rows,
                             plane.offset, size_bytes)};
  }
  return Plane{*file, plane.offset, plane.stride};
}

Status FileRows::read(u32 table, std::span<const u64> rows, std::span<std::byte> out) const {
  check(table < tables_.size(), "table numbers come from the configuration");
  check(out.size() == rows.size() * row_bytes(), "there is room for every row");
  const Table& source = tables_[table];
  for (const u64 row : rows) {
    const std::span<std::byte> bytes = out.first(row_bytes());
    out = out.subspan(row_bytes());
    if (row >= source.rows) {
      return Error{fmt::format("{}: Engram table {} has {} rows, so there is no row {}", files_[source.codes.file].path,
                               table, source.rows, row)};
    }
    const std::span<std::byte> first = source.side_by_side ? bytes : bytes.first(head_dim());
    if (Status status = read_part(source.codes, row, first); !status) return status;
    if (source.side_by_side) continue;
    if (Status status = read_part(source.scales, row, bytes.subspan(head_dim())); !status) return status;
  }
  return {};
}

Status FileRows::read_part(const Plane& plane, u64 row, std::span<std::byte> out) const {
  const File& file = files_[plane.file];
  u64 offset = plane.offset + row * plane.stride;
  while (!out.empty()) {
    const ssize_t n = ::pread(file.fd, out.data(), out.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{fmt::format("{}: cannot read Engram row {}: {}", file.path, row, std::strerror(errno))};
    if (n == 0) {
      return Error{fmt::format("{}: cannot read Engram row {}: the file ends before byte {}; it was cut while in use",
                               file.path, row, offset + 1)};
    }
    out = out.subspan(static_cast<std::size_t>(n));
    offset += static_cast<u64>(n);
  }
  return {};
}

}  // namespace bolide::engram
