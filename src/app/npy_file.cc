#include "app/npy_file.h"

#include <fmt/format.h>

namespace bolide::app {
namespace {

// Magic, version 1.0, u16 length of the description, the description: blanks and a line end fill it up to 64 bytes.
std::string npy_header(u64 rows, u64 columns) {
  constexpr std::size_t kFixedBytes = 10;
  std::string description =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  while ((kFixedBytes + description.size() + 1) % 64 != 0) description += ' ';
  description += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(description.size() % 256);
  header += static_cast<char>(description.size() / 256);
  return header + description;
}

}  // namespace

Result<NpyWriter> NpyWriter::create(const std::string& path, u64 rows, u64 columns) {
  const std::string header = npy_header(rows, columns);
  Result<PartialFile> file = PartialFile::create(path, header.size() + rows * columns * sizeof(float));
  if (!file) return file.error();
  if (Status status = file->write_at(0, as_bytes(header)); !status) return status.error();
  return NpyWriter(std::move(*file), header.size());
}

Status NpyWriter::append(std::span<const float> row) {
  Status status = file_.write_at(position_, std::as_bytes(row));
  position_ += row.size_bytes();
  return status;
}

Status NpyWriter::finish() {
  return file_.commit();
}

}  // namespace bolide::app
