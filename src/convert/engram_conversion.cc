#include "convert/engram_conversion.h"

namespace bolide::convert {

Result<EngramConversion> EngramConversion::create(const std::string& path, std::vector<EngramTableRows> tables) {
  std::vector<formats::EngramTableSpec> specs;
  specs.reserve(tables.size());
  for (const EngramTableRows& table : tables) specs.push_back({table.layer, table.rows, table.row_bytes()});
  Result<formats::EngramWriter> writer = formats::EngramWriter::create(path, specs);
  if (!writer) return writer.error();
  return EngramConversion(std::move(tables), *std::move(writer));
}

Status EngramConversion::convert(std::size_t table, const std::function<void(u64 bytes)>& told) {
  return append_engram_rows(tables_[table], 0, [&](Bytes rows) -> Status {
    if (Status appended = writer_.append(table, rows); !appended) return appended;
    told(rows.size());
    return {};
  });
}

Status EngramConversion::finish() {
  const Result<formats::EngramFile> file = writer_.finish();
  return file ? Status() : Status(file.error());
}

}  // namespace bolide::convert
