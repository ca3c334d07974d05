// Gives a packed file whose bytes were changed the hashes that fit again, so that tests and fuzzers reach the checks
// behind the hashes.
#pragma once
#include <span>

#include "base/sha256.h"
#include "formats/packed_header.h"

namespace bolide::test {

inline void reseal_packed(std::span<std::byte> file) {
  using namespace formats;
  if (file.size() < kPackedHeaderBytes) return;
  const auto seal = [&](u64 offset, u64 bytes, u64 digest_at) {
    if (offset <= file.size() && bytes <= file.size() - offset) {
      store(&file[digest_at], sha256(file.subspan(offset, bytes)));
    }
  };
  const auto table_count = load<u64>(&file[32]);
  if (table_count <= file.size() / kPackedRecordBytes) {
    seal(load<u64>(&file[24]), table_count * kPackedRecordBytes, kTableDigestAt);
  }
  for (u64 at = kDocumentsAt; at < kDocumentsAt + 3 * kDocumentRecordBytes; at += kDocumentRecordBytes) {
    seal(load<u64>(&file[at]), load<u64>(&file[at + 8]), at + 16);
  }
  seal(0, kHeaderDigestAt, kHeaderDigestAt);
}

}  // namespace bolide::test
