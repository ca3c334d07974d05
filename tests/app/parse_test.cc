#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/program.h"

namespace bolide::test {
namespace {

using ::testing::HasSubstr;

// What outputs give is tested in tests/text.

ProgramResult parse(std::string_view output, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"parse", "--tools", BOLIDE_SOURCE_DIR "/tests/text/data/tools.json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments, output);
}

constexpr const char* kOutput =
    "Hm.</think>Ok\n\n<｜DSML｜ calls>\n<｜DSML｜ invoke name=\"read\">\n<｜DSML｜ parameter name=\"path\" "
    "string=\"true\">a\"b</｜DSML｜ parameter>\n</｜DSML｜ invoke>\n<｜DSML｜ invoke name=\"n::f\">\n</｜DSML｜ "
    "invoke>\n"
    "</｜DSML｜ calls>";

TEST(Parse, PrintsReasoningContentCallsAndFinish) {
  const std::string expected =
      R"({"reasoning": "Hm.", "content": "Ok", "tool_calls": [{"name": "read", "arguments": {"path": "a\"b"}}, )"
      R"({"name": "f", "namespace": "n", "arguments": {}}], "finish": "tool_calls"})"
      "\n";
  EXPECT_EQ(parse(kOutput).out, expected);
  for (const std::string chunk : {"1", "7", "100000"}) EXPECT_EQ(parse(kOutput, {"--chunk", chunk}).out, expected);
}

TEST(Parse, AnOutputWithoutEndTokenWasCut) {
  EXPECT_THAT(parse("Hm.</think>Hi").out, HasSubstr(R"("finish": "length")"));
  EXPECT_THAT(parse("Hm.</think>Hi<｜end▁of▁sentence｜>").out, HasSubstr(R"("finish": "stop")"));
  EXPECT_EQ(parse("").out, "{\"reasoning\": \"\", \"content\": \"\", \"tool_calls\": [], \"finish\": \"length\"}\n");
}

TEST(Parse, OptionsChangeTheReading) {
  EXPECT_THAT(parse("Hi", {"--thinking", "off"}).out, HasSubstr(R"("reasoning": "", "content": "Hi")"));
  EXPECT_THAT(parse(kOutput, {"--tool-choice", "none"}).out, HasSubstr(R"("tool_calls": [])"));
  EXPECT_THAT(parse(kOutput, {"--tool-choice", "read"}).out, HasSubstr(R"("finish": "tool_calls")"));
  EXPECT_THAT(parse("</think>one two", {"--stop", " two"}).out, HasSubstr(R"("content": "one")"));
}

TEST(Parse, WrongUsageIsSaid) {
  EXPECT_EQ(parse("", {"--thinking", "maybe"}).exit_code, 2);
  EXPECT_EQ(parse("", {"--tool-choice", "write"}).exit_code, 2);
  EXPECT_EQ(parse("", {"--chunk", "0"}).exit_code, 2);
  EXPECT_EQ(parse("", {"--stop", ""}).exit_code, 2);
  EXPECT_EQ(run_program({"parse", "--tools", "/nowhere"}).exit_code, 1);
}

}  // namespace
}  // namespace bolide::test
