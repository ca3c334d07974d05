// The nano model and its goldens, for tests (where they come from: models/nano/README.md).
#pragma once
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/mapped_file.h"
#include "base/types.h"

namespace bolide::test {

inline const std::string kNanoFolder = BOLIDE_SOURCE_DIR "/models/nano";
inline const std::string kNanoGoldens = BOLIDE_SOURCE_DIR "/tests/goldens/nano/";

inline boost::json::value read_json(const std::string& path) {
  Result<std::string> text = read_text_file(path, u64{1} << 26);
  EXPECT_TRUE(text.ok()) << path;
  Result<boost::json::value> parsed = parse_json(*text, path);
  EXPECT_TRUE(parsed.ok()) << path;
  return *parsed;
}

inline std::vector<u32> ids_of(const boost::json::value& list) {
  std::vector<u32> ids;
  for (const boost::json::value& id : list.as_array()) ids.push_back(static_cast<u32>(id.as_int64()));
  return ids;
}

// The token ids of a golden prompt: "short", "tool_call" or "code1500".
inline std::vector<u32> golden_prompt(const std::string& name) {
  return ids_of(read_json(kNanoGoldens + name + ".json").as_object().at("ids"));
}

}  // namespace bolide::test
