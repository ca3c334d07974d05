#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/nano.h"
#include "support/program.h"
#include "support/temp_folder.h"

namespace bolide::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

boost::json::object inspect_json(const std::string& model, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"inspect", model, "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const ProgramResult result = run_program(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Result<boost::json::value> parsed = parse_json(result.out, "output");
  EXPECT_TRUE(parsed.ok()) << result.out;
  return parsed->as_object();
}

u64 sum_without_total(const boost::json::object& reads) {
  u64 sum = 0;
  for (const auto& member : reads) {
    if (member.key() != "total") sum += static_cast<u64>(member.value().as_int64());
  }
  return sum;
}

// 6 of 16 experts, 3 matrices of 128 x 256 in each of 8 layers; a block of 32 values has 16 bytes and a scale.
constexpr i64 kUsedExpertBytes = i64{8} * 6 * 3 * (128 * 256 / 32) * 17;

TEST(Inspect, RecomputesTheTableOfBytesReadPerToken) {
  const boost::json::object report = inspect_json(kNanoFolder);
  const boost::json::object& reads = report.at("read_per_token").as_object();
  std::vector<std::string> classes;
  for (const auto& member : reads) classes.emplace_back(member.key());
  // The order of spec model.md 2.4, then what its table leaves out.
  EXPECT_THAT(classes,
              ElementsAre("attention projections", "routed experts", "shared experts", "output head", "Engram wkv",
                          "router", "compressor + indexer", "mHC + norms", "embedding", "total"));
  EXPECT_EQ(reads.at("routed experts").as_int64(), kUsedExpertBytes);
  EXPECT_EQ(reads.at("output head").as_int64(), 8192 * 256 * 2);
  EXPECT_EQ(reads.at("embedding").as_int64(), 256 * 2);
  EXPECT_EQ(reads.at("total").as_int64(), static_cast<i64>(sum_without_total(reads)));
}

TEST(Inspect, ThePlanOfOneRowReadsWhatADecodedTokenReads) {
  const boost::json::object plan = inspect_json(kNanoFolder, {"--plan"});
  i64 sum = 0;
  for (const auto& op : plan.at("ops").as_array()) sum += op.at("weight_bytes").as_int64();
  EXPECT_EQ(plan.at("totals").at("weight_bytes").as_int64(), sum);
  // A plan counts the packed forms, whose tiles are filled up to 32 rows.
  EXPECT_GE(sum, inspect_json(kNanoFolder).at("read_per_token").at("routed experts").as_int64());
  EXPECT_EQ(plan.at("ops").at(0).at("kind").as_string(), "embed");
}

TEST(Inspect, APlanOfMoreRowsSharesTheWeights) {
  const boost::json::object one = inspect_json(kNanoFolder, {"--plan"});
  const boost::json::object two = inspect_json(kNanoFolder, {"--plan", "--rows", "2"});
  const auto bytes = [](const boost::json::object& plan) { return plan.at("totals").at("weight_bytes").as_int64(); };
  // One more row of the embedding, and at most as many experts again.
  EXPECT_EQ(bytes(two) - bytes(one), 256 * 2 + kUsedExpertBytes);
}

TEST(Inspect, CountsEveryByteOfTheCheckpoint) {
  const boost::json::object report = inspect_json(kNanoFolder, {"--tensors"});
  EXPECT_EQ(report.at("form").as_string(), "checkpoint");
  EXPECT_EQ(report.at("bytes").as_int64(), 37'015'584);  // models/nano/README.md
  u64 tensors = 0, classes = 0, tables = 0;
  for (const auto& tensor : report.at("tensors").as_array()) tensors += static_cast<u64>(tensor.at("bytes").as_int64());
  for (const auto& size : report.at("tensor_classes").as_array())
    classes += static_cast<u64>(size.at("bytes").as_int64());
  for (const auto& table : report.at("engram_tables").as_array())
    tables += static_cast<u64>(table.at("rows").as_int64() * table.at("row_bytes").as_int64());
  EXPECT_EQ(tensors, classes);
  EXPECT_EQ(tensors + tables, 37'015'584u);
}

TEST(Inspect, ReadsPackedFilesAlike) {
  const TempFolder folder;
  const std::string packed = folder.file("nano.bolide");
  ASSERT_EQ(run_program({"convert", kNanoFolder, packed}).exit_code, 0);
  const boost::json::object report = inspect_json(packed);
  EXPECT_EQ(report.at("form").as_string(), "packed");
  const boost::json::object& reads = report.at("read_per_token").as_object();
  EXPECT_EQ(reads.at("routed experts").as_int64(), kUsedExpertBytes);
  EXPECT_EQ(reads.at("output head").as_int64(), 8192 * 256 / 32 * 34);  // Q8_0
  EXPECT_EQ(report.at("layers"), inspect_json(kNanoFolder).at("layers"));
  EXPECT_GT(report.at("draft_read_per_token").as_object().at("total").as_int64(), 0);
}

TEST(Inspect, AFileWithoutDrafterHasNoDraftTable) {
  const TempFolder folder;
  const std::string packed = folder.file("nano.bolide");
  ASSERT_EQ(run_program({"convert", kNanoFolder, packed, "--no-draft"}).exit_code, 0);
  EXPECT_EQ(inspect_json(packed).at("draft_read_per_token").as_object().at("total").as_int64(), 0);
}

TEST(Inspect, ShowsTheRolesOfTheLayers) {
  const ProgramResult result = run_program({"inspect", kNanoFolder});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, ContainsRegex("\n  0 +window only"));
  EXPECT_THAT(result.out, ContainsRegex("\n  2 +2 : 1 +2 +2 +compresses, selects\n"));
  EXPECT_THAT(result.out, ContainsRegex("\n  4 +1 : 1 +4 +4 +compresses, selects, chooses the candidates\n"));
  EXPECT_THAT(result.out, ContainsRegex("\n  6 +1 : 1 +4 +6 +selects, within the candidates, draft tap\n"));
  EXPECT_THAT(result.out, ContainsRegex("\n  7 +1 : 1 +4 +6 +draft tap\n"));
}

TEST(Inspect, ListsTensorsOnlyWhenAsked) {
  EXPECT_THAT(run_program({"inspect", kNanoFolder, "--tensors"}).out,
              ContainsRegex("layers\\.3\\.ffn\\.experts\\.w2 +routed experts +FP4 +16 x 256 x 128 +278,528"));
  EXPECT_EQ(run_program({"inspect", kNanoFolder}).out.find("layers.3.ffn.experts.w2"), std::string::npos);
}

TEST(Inspect, ADamagedFileIsRefused) {
  const TempFolder folder;
  folder.write("model.bolide", "this is no packed file");
  const ProgramResult result = run_program({"inspect", folder.file("model.bolide")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("model.bolide"));
}

}  // namespace
}  // namespace bolide::test
