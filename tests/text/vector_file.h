// Vectors: files of one JSON object a line.
#pragma once
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "text/json.h"

namespace bolide::text {

inline std::string data_file(const std::string& name) {
  return read_text_file(BOLIDE_SOURCE_DIR "/tests/text/data/" + name, u64{1} << 24).value();
}

inline std::vector<Json> read_vectors(const std::string& name) {
  std::vector<Json> vectors;
  const std::string lines = data_file(name);
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = lines.find('\n', begin);
    vectors.push_back(parse_json_text(lines.substr(begin, end - begin), name).value());
    begin = end + 1;
  }
  return vectors;
}

// A field that is a string, or `otherwise` where it is absent.
inline std::string field(const Json& vector, std::string_view key, std::string otherwise = "") {
  const Json* value = vector.find(key);
  return value == nullptr ? otherwise : value->text;
}

}  // namespace bolide::text
