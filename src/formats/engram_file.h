// The Engram rows file, `NAME.engram`: tables of equal rows, read one row at a time by pread (room engram does that).
// This header knows the file's form (docs/packed-file.md), not what a row means.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "formats/tensor_writer.h"

namespace bolide::formats {

inline constexpr u64 kEngramHeaderBytes = 4096;

// One layer's table. `row_bytes` = codes, then scales (264 in the big model).
struct EngramTableSpec {
  u32 layer = 0;
  u64 rows = 0;
  u64 row_bytes = 0;
};

struct EngramTable {
  EngramTableSpec spec;
  u64 offset = 0;         // of row 0 in the file, a multiple of 4,096; row r is at offset + r * row_bytes
  Sha256Digest digest{};  // over all rows
  u64 bytes() const { return spec.rows * spec.row_bytes; }
};

// What the header says, checked against the size of the file. Or what a link says (engram_link.h): then the rows, and
// `path`, are those of the file that it names, and the tables have no digests.
struct EngramFile {
  std::string path;
  std::vector<EngramTable> tables;  // in the order of the file
  Sha256Digest identity{};          // the hash in the header, which covers counts, places and content hashes
};

// Follows a link.
Result<EngramFile> open_engram_file(const std::string& path);
// The header alone: the first kEngramHeaderBytes of a file of `file_bytes` bytes.
Result<EngramFile> parse_engram_header(Bytes header, u64 file_bytes, std::string_view path);
// Reads all rows and compares the hashes; names the first table that differs.
Status verify_contents(const EngramFile& file);

// Of a file with these tables.
Result<u64> engram_file_bytes(const std::vector<EngramTableSpec>& specs);

// Writes PATH.partial, which takes its name in finish(). Different tables may be appended to by different threads.
class EngramWriter : public TensorWriter {
 public:
  // 1 to 63 tables, of distinct layers.
  static Result<EngramWriter> create(const std::string& path, const std::vector<EngramTableSpec>& specs,
                                     WriteMode mode = WriteMode::kNew);

  // The next rows of a table (index into specs), in pieces of any size.
  Status append(std::size_t table, Bytes piece) override;

  WriteRange range(std::size_t table) const override { return {tables_.at(table).offset, tables_[table].bytes()}; }
  Sha256Digest digest(std::size_t table) const override { return tables_.at(table).digest; }
  // Of a part of a table: reads it from the file, for the hash.
  Status restore(std::size_t table, u64 bytes, const Sha256Digest& digest) override;
  Status write_header() override;
  PartialFile& file() override { return *file_; }

  // Once, after every table was appended in full.
  Result<EngramFile> finish();

 private:
  EngramWriter() = default;

  struct Progress {
    u64 position = 0;
    Sha256 hash;
  };
  std::string path_;
  u64 file_bytes_ = 0;
  std::vector<EngramTable> tables_;
  std::vector<Progress> progress_;
  std::optional<PartialFile> file_;
};

}  // namespace bolide::formats
