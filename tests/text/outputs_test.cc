// The parse vectors of tests/text/data/outputs.jsonl, cut in every way.
#include <gtest/gtest.h>
#include <string>

#include "text/chat_body.h"
#include "text/nano_tokenizer.h"
#include "text/parsed.h"
#include "text/token_parser.h"
#include "text/vector_file.h"

namespace bolide::text {
namespace {

std::vector<Json> declared_tools() {
  std::vector<Json> tools;
  const Json file = parse_json_text(data_file("tools.json"), "tools.json").value();
  for (const Json& tool : file.items) {
    tools.push_back(*read_tool(tool));
  }
  return tools;
}

class Outputs : public testing::TestWithParam<Json> {
 protected:
  static OutputParserOptions options() {
    const Json* thinking = GetParam().find("thinking");
    return {.thinking = thinking == nullptr || thinking->kind == Json::Kind::kTrue,
            .calls_allowed = field(GetParam(), "tool_choice") != "none",
            .tools = ToolDeclarations(declared_tools())};
  }

  static void expect_as_printed(const Parsed& parsed) {
    const Json& vector = GetParam();
    EXPECT_EQ(parsed.output.reasoning, field(vector, "reasoning"));
    EXPECT_EQ(parsed.output.content, field(vector, "content"));
    std::string calls;
    for (const Json& call : vector.find("calls")->items) {
      const std::string name_space = field(call, "namespace");
      calls += (name_space.empty() ? "" : name_space + "::") + field(call, "name") + field(call, "arguments") + ";";
    }
    EXPECT_EQ(parsed.calls(), calls);
    const std::string finish = field(vector, "finish");
    EXPECT_EQ(parsed.finish, finish == "stop"     ? FinishReason::kStop
                             : finish == "length" ? FinishReason::kLength
                                                  : FinishReason::kToolCalls);
  }
};

TEST_P(Outputs, AreParsedAsPrinted) {
  expect_as_printed(parse_output(field(GetParam(), "output"), options()));
}

TEST_P(Outputs, EverySplitGivesTheSameEvents) {
  const std::string output = field(GetParam(), "output");
  const std::vector<OutputEvent> whole = parse_output(output, options()).events;
  for (std::size_t cut = 0; cut <= output.size(); ++cut) {
    const std::string_view text = output;
    ASSERT_EQ(parse_pieces({text.substr(0, cut), text.substr(cut)}, options()).events, whole) << cut;
  }
  for (const std::size_t size : {1, 2, 3, 5, 7, 11}) {
    ASSERT_EQ(parse_pieces(pieces_of(output, size), options()).events, whole) << size;
  }
}

TEST_P(Outputs, TokensGiveTheSame) {
  TokenParser parser(nano_tokenizer(), options());
  Parsed parsed;
  for (const u32 id : nano_tokenizer().encode(field(GetParam(), "output"), AddedTokens::kMatch)) {
    parsed.output.add(parser.push(id));
  }
  parsed.output.add(parser.finish(OutputEnd::kLimit));
  parsed.finish = parser.output().finish_reason();
  expect_as_printed(parsed);
}

INSTANTIATE_TEST_SUITE_P(Parse, Outputs, testing::ValuesIn(read_vectors("outputs.jsonl")),
                         [](const auto& vector) { return field(vector.param, "name"); });

}  // namespace
}  // namespace bolide::text
