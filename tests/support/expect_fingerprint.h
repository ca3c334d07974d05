// Compares fingerprints with goldens in the form that `bolide hash` prints.
#pragma once
#include <boost/json/object.hpp>
#include <cstdio>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "engine/fingerprint.h"
#include "support/nano.h"

namespace bolide::test {

inline std::string text_of(const boost::json::object& golden, const char* key) {
  return std::string(golden.at(key).as_string());
}

inline void expect_draft(const engine::DraftFingerprint& found, const boost::json::object& golden) {
  EXPECT_EQ(found.ids, ids_of(golden.at("draft")));
  EXPECT_EQ(to_hex(found.logits), text_of(golden, "draft_logits"));
  EXPECT_EQ(to_hex(found.state), text_of(golden, "draft_state"));
  EXPECT_EQ(to_hex(found.taps), text_of(golden, "taps"));
  std::vector<std::string> confidence;
  for (const u32 bits : found.confidence_bits) {
    char text[9];
    std::snprintf(text, sizeof text, "%08x", bits);
    confidence.emplace_back(text);
  }
  std::vector<std::string> wanted;
  for (const auto& value : golden.at("draft_confidence").as_array()) wanted.emplace_back(value.as_string());
  EXPECT_EQ(confidence, wanted);
}

// Streams first: the earliest difference says where an error arises.
inline void expect_equal(const engine::Fingerprint& found, const boost::json::object& golden) {
  SCOPED_TRACE("after " + std::to_string(found.tokens) + " tokens");
  const boost::json::object& streams = golden.at("streams_of_last_position").as_object();
  ASSERT_EQ(found.streams.size(), streams.size());
  std::size_t i = 0;
  for (const auto& [sub_block, hash] : streams) {
    ASSERT_EQ(found.streams[i].first, std::string(sub_block));
    ASSERT_EQ(to_hex(found.streams[i].second), std::string(hash.as_string()))
        << "the first difference is in " << sub_block;
    ++i;
  }
  EXPECT_EQ(to_hex(found.logits), text_of(golden, "logits"));
  EXPECT_EQ(to_hex(found.state), text_of(golden, "state"));
  EXPECT_EQ(found.argmax, golden.at("argmax").as_int64());
  ASSERT_TRUE(found.draft.has_value());
  expect_draft(*found.draft, golden);
}

}  // namespace bolide::test
