#include "engram/table_sources.h"

#include <gmock/gmock.h>

namespace bolide::engram {
namespace {

using testing::HasSubstr;

EngramShape two_tables() {
  return {.vocab_size = 3,
          .compressed_vocab_size = 2,
          .pad_id = 2,
          .max_ngram = 2,
          .n_heads = 1,
          .head_dim = 64,
          .layer_ids = {1, 3},
          .rows = {10, 20}};
}

formats::EngramFile file_of(const std::vector<formats::EngramTableSpec>& specs) {
  formats::EngramFile file;
  file.path = "a.engram";
  for (const formats::EngramTableSpec& spec : specs) {
    file.tables.push_back({.spec = spec, .offset = 4096 * (file.tables.size() + 1)});
  }
  return file;
}

TEST(TableSources, OfARowsFileLieSideBySide) {
  const auto sources = table_sources(file_of({{1, 10, 66}, {3, 20, 66}}), two_tables());
  ASSERT_TRUE(sources) << sources.error().message;
  ASSERT_EQ(sources->size(), 2);
  const TableSource& second = (*sources)[1];
  EXPECT_EQ(second.rows, 20);
  EXPECT_EQ(second.codes.offset, 8192);
  EXPECT_EQ(second.scales.offset, 8192 + 64);
  EXPECT_EQ(second.codes.stride, 66);
  EXPECT_EQ(second.scales.stride, 66);
  EXPECT_EQ(second.codes.path, "a.engram");
}

TEST(TableSources, ARowsFileOfAnotherModelIsRefused) {
  const auto refusal = [](const std::vector<formats::EngramTableSpec>& specs) {
    const auto sources = table_sources(file_of(specs), two_tables());
    return sources ? "accepted" : sources.error().message;
  };
  EXPECT_THAT(refusal({{1, 10, 66}}), HasSubstr("a.engram: has 1 Engram tables, but the model has 2"));
  EXPECT_THAT(refusal({{1, 10, 66}, {4, 20, 66}}), HasSubstr("table 1 is of layer 4"));
  EXPECT_THAT(refusal({{1, 11, 66}, {3, 20, 66}}), HasSubstr("table 0 is of layer 1 with 11 rows"));
  EXPECT_THAT(refusal({{1, 10, 66}, {3, 20, 264}}), HasSubstr("with 20 rows of 264 bytes, but the model wants"));
}

}  // namespace
}  // namespace bolide::engram
