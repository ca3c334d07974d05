// Reading rows of the Engram tables, which stay on disk (203 GB in the big model; 48 random rows a token).
// A row is head_dim E4M3 codes and head_dim / 32 E8M0 scales. Source: spec model.md 2.1, 3.2.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace bolide::engram {

// Gives rows of the tables of one model. Any thread may read.
class RowReader {
 public:
  explicit RowReader(u32 head_dim) : head_dim_(head_dim) {}
  virtual ~RowReader() = default;
  RowReader(const RowReader&) = delete;
  RowReader(RowReader&&) = delete;
  RowReader& operator=(const RowReader&) = delete;
  RowReader& operator=(RowReader&&) = delete;

  u32 head_dim() const { return head_dim_; }
  u64 row_bytes() const { return u64{head_dim_} + head_dim_ / 32; }

  // Reads `rows` of a table (an index into layer_ids), in that order: `out` holds row_bytes() for each, codes first.
  // A row beyond the table, an I/O error or a truncated file is an error that names the file and the row
  // (pitfalls B45: it fails the request, never the process).
  virtual Status read(u32 table, std::span<const u64> rows, std::span<std::byte> out) const = 0;

 private:
  u32 head_dim_;
};

// Reads rows and decodes them into `values` (head_dim for each row): bf16(E4M3 value * 2^(scale - 127)), exact apart
// from the door of rule 0. (Values below 2^-40 do not matter to REF either: its Q8 rounds them to zeros.)
// A NaN code and a value beyond binary32 are errors that name the row.
Status read_values(const RowReader& reader, u32 table, std::span<const u64> rows, std::span<float> values);

// Where one part (codes or scales) of the rows of a table lies: row r at offset + r * stride of the file.
struct RowPlane {
  std::string path;
  u64 offset = 0;
  u64 stride = 0;
};

// One table on disk. Covers the rows of a `.engram` file and of a GGUF (codes and scales side by side) and those of an
// official checkpoint (two tensors).
struct TableSource {
  RowPlane codes;
  RowPlane scales;
  u64 rows = 0;
};

// Reads rows with pread, one after the other. Owns its open files.
class FileRows : public RowReader {
 public:
  // Opens the files; every row of every table must lie inside them.
  static Result<std::unique_ptr<FileRows>> open(const std::vector<TableSource>& tables, u32 head_dim);
  FileRows(const FileRows&) = delete;
  FileRows(FileRows&&) = delete;
  FileRows& operator=(const FileRows&) = delete;
  FileRows& operator=(FileRows&&) = delete;
  ~FileRows() override;

  Status read(u32 table, std::span<const u64> rows, std::span<std::byte> out) const override;

 private:
  struct File {
    std::string path;
    int fd;
    u64 size_bytes;
  };
  struct Plane {
    std::size_t file;  // index into files_
    u64 offset;
    u64 stride;
  };
  struct Table {
    Plane codes;  // where the two lie side by side: of codes and scales
    Plane scales;
    bool side_by_side;
    u64 rows;
  };

  explicit FileRows(u32 head_dim) : RowReader(head_dim) {}
  Result<std::size_t> open_file(const std::string& path);
  // Checks that `rows` parts of `part_bytes` lie inside the file.
  Result<Plane> add_plane(const RowPlane& plane, u64 rows, u64 part_bytes);
  Status read_part(const Plane& plane, u64 row, std::span<std::byte> out) const;

  std::vector<File> files_;
  std::vector<Table> tables_;
};

}  // namespace bolide::engram
