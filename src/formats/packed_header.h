// The fixed bytes of a packed file: header and table records (docs/packed-file.md has the same as a table).
#pragma once
#include <array>
#include <span>
#include <string_view>

#include "formats/packed_file.h"

namespace bolide::formats {

inline constexpr u64 kPackedHeaderBytes = 4096;
inline constexpr u64 kPackedRecordBytes = 256;
inline constexpr std::size_t kMaxClassBytes = 31;

// Offsets inside the header of what hashes cover; the header's own hash covers every byte before it.
inline constexpr u64 kTableDigestAt = 40;
inline constexpr u64 kDocumentsAt = 72;
inline constexpr u64 kDocumentRecordBytes = 48;
inline constexpr u64 kHeaderDigestAt = kPackedHeaderBytes - 32;

// A JSON document's place: config, tokenizer, Engram constants, in this order.
struct DocumentPlace {
  u64 offset = 0;
  u64 bytes = 0;
  Sha256Digest digest{};
};
using DocumentPlaces = std::array<DocumentPlace, 3>;

struct PackedHeader {
  u64 file_bytes = 0;
  u64 table_offset = 0;
  u64 table_count = 0;
  Sha256Digest table_digest{};
  DocumentPlaces documents;
};

// One line of the table.
struct PackedRecord {
  PackedSpec spec;
  u64 codes_offset = 0;
  u64 codes_bytes = 0;
  u64 scales_offset = 0;
  u64 scales_bytes = 0;
  Sha256Digest digest{};
};

// Writes kPackedHeaderBytes, its own hash included.
void encode(const PackedHeader& header, std::span<std::byte> to);
// Writes kPackedRecordBytes. The spec has passed check_spec().
void encode(const PackedRecord& record, std::span<std::byte> to);

// Checks magic, hash, versions, and that table and documents lie inside the file.
Result<PackedHeader> decode_packed_header(Bytes file);
// Checks names, type and form; sizes and offsets are the caller's to check (packed_plan.h).
Result<PackedRecord> decode_packed_record(Bytes record);

// Whether name and class fit into a record.
Status check_spec(const PackedSpec& spec);

}  // namespace bolide::formats
