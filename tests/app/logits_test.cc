#include <bit>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/token_ids.h"
#include "support/engine.h"
#include "support/program.h"
#include "support/temp_folder.h"

namespace bolide::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kShort = kNanoGoldens + "short.json";

ProgramResult logits(const std::vector<std::string>& more, const std::string& ids = kShort) {
  std::vector<std::string> arguments = {"logits", "--model", kNanoFolder, "--ids", ids};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments);
}

std::vector<u32> bits_of(std::span<const float> values) {
  std::vector<u32> bits;
  for (const float value : values) bits.push_back(std::bit_cast<u32>(value));
  return bits;
}

// The logits of the last positions of the short prompt, from the engine itself.
std::vector<std::vector<u32>> engine_bits(u64 last, engine::ArithmeticKind arithmetic) {
  const std::unique_ptr<engine::Engine> engine = open_nano({.arithmetic = arithmetic});
  const std::vector<u32> ids = golden_prompt("short");
  std::vector<std::vector<u32>> rows;
  const Status status = engine->evaluate(ids, ids.size() - last, [&](u64, std::span<const float> row) {
    rows.push_back(bits_of(row));
    return true;
  });
  EXPECT_TRUE(status.ok());
  return rows;
}

TEST(Logits, JsonReadsBackToTheBitsOfTheEngine) {
  const std::vector<std::pair<std::string, engine::ArithmeticKind>> arithmetics = {
      {"a1", engine::ArithmeticKind::kA1},
      {"ref", engine::ArithmeticKind::kRef},
      {"plain", engine::ArithmeticKind::kPlain}};
  for (const auto& [name, kind] : arithmetics) {
    const ProgramResult result = logits({"--last", "2", "--arithmetic", name});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const Result<boost::json::value> parsed = parse_json(result.out, "output");
    ASSERT_TRUE(parsed.ok());
    const boost::json::object& json = parsed->as_object();
    EXPECT_EQ(json.size(), 2u);
    EXPECT_EQ(ids_of(json.at("positions")), (std::vector<u32>{4, 5}));
    std::vector<std::vector<u32>> rows;
    for (const boost::json::value& row : json.at("logits").as_array()) {
      std::vector<float> values;
      for (const boost::json::value& value : row.as_array())
        values.push_back(static_cast<float>(value.to_number<double>()));
      rows.push_back(bits_of(values));
    }
    EXPECT_EQ(rows, engine_bits(2, kind)) << name;
  }
}

TEST(Logits, NpyHoldsTheSameBits) {
  const TempFolder folder;
  const ProgramResult result = logits({"--last", "3", "--npy", folder.file("logits.npy")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, IsEmpty());
  const std::string file = read_whole_file(folder.file("logits.npy"));
  ASSERT_EQ(file.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const std::size_t data = 10 + static_cast<u8>(file[8]) + 256 * static_cast<u8>(file[9]);
  EXPECT_EQ(data % 64, 0u);
  EXPECT_THAT(file.substr(10, data - 10), HasSubstr("'descr': '<f4', 'fortran_order': False, 'shape': (3, 8192)"));
  EXPECT_EQ(file[data - 1], '\n');
  std::string wanted;
  for (const std::vector<u32>& row : engine_bits(3, engine::ArithmeticKind::kA1))
    wanted.append(std::string_view(reinterpret_cast<const char*>(row.data()), row.size() * sizeof(u32)));
  EXPECT_TRUE(file.substr(data) == wanted);
}

TEST(Logits, ChunksChangeNoBit) {
  const TempFolder folder;
  const std::vector<u32> ids = golden_prompt("tool_call");
  folder.write("ids.json", app::format_token_ids(std::span(ids).first(40)));
  for (const std::string arithmetic : {"a1", "ref"}) {
    std::vector<std::string> outputs;
    for (const std::string chunk : {"1", "7", "1000"}) {
      const ProgramResult result =
          logits({"--last", "40", "--arithmetic", arithmetic, "--prefill-chunk", chunk}, folder.file("ids.json"));
      ASSERT_EQ(result.exit_code, 0) << result.err;
      outputs.push_back(result.out);
    }
    EXPECT_TRUE(outputs[0] == outputs[2]) << arithmetic << ", chunks of 1";
    EXPECT_TRUE(outputs[1] == outputs[2]) << arithmetic << ", chunks of 7";
  }
}

TEST(Logits, OneLastPositionIsTheDefault) {
  const ProgramResult result = logits({});
  EXPECT_THAT(result.out, HasSubstr("{\"positions\": [5], \"logits\": ["));
}

TEST(Logits, MorePositionsThanTokensAreWrongUsage) {
  const ProgramResult result = logits({"--last", "7"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--last 7 is more than the 6 tokens of"));
}

TEST(Logits, TokensBeyondTheContextAreRefusedWithTheNumbers) {
  const ProgramResult result = logits({"--ctx", "5"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("has 6 tokens, but the context has room for 5"));
}

TEST(Logits, AnUnwritableNpyFileIsNamed) {
  const ProgramResult result = logits({"--npy", "/no/such/folder/logits.npy"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("/no/such/folder/logits.npy"));
}

}  // namespace
}  // namespace bolide::test
