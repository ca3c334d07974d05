// The input is the size of the file (u64) and the start of an Engram rows header; its hash is made to fit.
#include <algorithm>
#include <array>

#include "formats/engram_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bolide;
  constexpr std::size_t kDigestAt = formats::kEngramHeaderBytes - 32;
  const Bytes input = std::as_bytes(std::span(data, size));
  if (input.size() < sizeof(u64)) return 0;
  const auto file_bytes = load<u64>(input.data());
  std::array<std::byte, formats::kEngramHeaderBytes> header{};
  std::ranges::copy(input.subspan(sizeof(u64)).first(std::min(kDigestAt, size - sizeof(u64))), header.begin());
  store(&header[kDigestAt], sha256(Bytes(header).first(kDigestAt)));
  const Result<formats::EngramFile> file = formats::parse_engram_header(header, file_bytes, "fuzz");
  if (!file) return 0;
  for (const formats::EngramTable& table : file->tables) {
    check(table.offset <= file_bytes && table.bytes() <= file_bytes - table.offset, "tables lie inside the file");
  }
  return 0;
}
