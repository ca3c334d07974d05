#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/nano.h"
#include "support/program.h"
#include "text/json.h"

namespace bolide::test {
namespace {

using ::testing::HasSubstr;

// What prompts hold is tested in tests/text.

ProgramResult render(std::string_view body, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"render", "--model", kNanoFolder};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments, body);
}

TEST(Render, PrintsPromptAndIds) {
  const ProgramResult result =
      render(R"({"messages": [{"role": "user", "content": "a \"quote\""}], "thinking": false})");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto document = text::parse_json_text(result.out, "output").value();
  ASSERT_EQ(document.members.size(), 2U);
  EXPECT_EQ(document.find("prompt")->text, "<｜begin▁of▁sentence｜><｜User｜>a \"quote\"<｜Assistant｜></think>");
  const std::string ids = text::dump_json(*document.find("ids"));
  EXPECT_EQ(run_program({"tokenize", "--decode", "--model", kNanoFolder}, ids).out, document.find("prompt")->text);
}

TEST(Render, ReasoningBesideCallsIsKeptOnRequest) {
  const char* const body = R"({"messages": [{"role": "user", "content": "x"}, {"role": "assistant",
      "reasoning_content": "because", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]},
      {"role": "tool", "tool_call_id": "c", "content": "y"}]})";
  EXPECT_EQ(render(body).out.find("because"), std::string::npos);
  EXPECT_THAT(render(body, {"--keep-reasoning-with-calls"}).out, HasSubstr("<think>because</think>"));
}

TEST(Render, ABadRequestFailsByTheNameOfItsField) {
  const ProgramResult result = render(R"({"messages": [{"role": "user", "content": 7}]})");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("messages[0].content"));
  EXPECT_EQ(render("{:").exit_code, 1);
}

}  // namespace
}  // namespace bolide::test
