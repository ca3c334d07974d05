#include "text/output_parser.h"

#include <gtest/gtest.h>
#include <string>

#include "text/message.h"
#include "text/parsed.h"

namespace bolide::text {
namespace {

// The parse vectors of the format are in outputs_test.cc.

ToolDeclarations declared() {
  std::vector<Json> tools;
  for (const std::string_view tool :
       {R"({"name": "read", "parameters": {"properties": {"path": {"type": "string"}, "limit": {"type": "integer"}}}})",
        R"({"name": "weather::forecast"})"}) {
    tools.push_back(*read_tool(*parse_json_text(tool, "tool")));
  }
  return ToolDeclarations(tools);
}
const OutputParserOptions kThinking = {.tools = declared()};
const OutputParserOptions kNoThinking = {.thinking = false, .tools = declared()};
const OutputParserOptions kNoCalls = {.thinking = false, .calls_allowed = false, .tools = declared()};
const std::string kRead = invoke("read") + parameter("path", "a") + kIC;
const std::string kReadResult = "read{\"path\": \"a\"};";

// "reasoning|content|calls", the same however the output is cut.
std::string parsed(const std::string& output, const OutputParserOptions& options,
                   OutputEnd end = OutputEnd::kEndToken) {
  const Parsed whole = parse_output(output, options, end);
  for (const std::size_t size : {1, 2, 3, 7, 16}) {
    EXPECT_EQ(parse_pieces(pieces_of(output, size), options, end).events, whole.events) << size << ": " << output;
  }
  return whole.output.reasoning + "|" + whole.output.content + "|" + whole.calls();
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// --- reasoning and answer ---

TEST(OutputParser, NewlinesAroundTheReasoningAreNoPartOfIt) {
  EXPECT_EQ(parsed(std::string("\n\nHm.\n\nSo.\n\n") + kTE + "\nHi\n", kThinking), "Hm.\n\nSo.|\nHi\n|");
  EXPECT_EQ(parsed("\n\n", kThinking), "||");
}

TEST(OutputParser, ARepeatedOpeningTagIsAbsorbedAtTheBeginningOnly) {
  EXPECT_EQ(parsed("\n<think>\nHm <think> hm</think>Hi<think>", kThinking), "Hm <think> hm|Hi<think>|");
}

TEST(OutputParser, MarkersOfTurnsAreTextInText) {
  EXPECT_EQ(parsed("a<｜User｜>b<｜Assistant｜>c", kNoThinking), "|a<｜User｜>b<｜Assistant｜>c|");
}

TEST(OutputParser, B33ReasoningThatIsCutStaysReasoning) {
  const Parsed cut = parse_output("Let me think", kThinking, OutputEnd::kLimit);
  EXPECT_EQ(cut.output.reasoning, "Let me think");
  EXPECT_EQ(cut.output.content, "");
  EXPECT_EQ(cut.finish, FinishReason::kLength);
  EXPECT_EQ(parse_output("Let me think", kThinking, OutputEnd::kEndToken).finish, FinishReason::kStop);
}

TEST(OutputParser, TextIsToldAtOnce) {
  OutputParser parser(kNoThinking);
  EXPECT_EQ(parser.push("a < b").at(0).text, "a < b");
  EXPECT_TRUE(parser.push("<").empty());
  EXPECT_TRUE(parser.push("｜DSML").empty());
  EXPECT_EQ(parser.push("!").at(0).text, "<｜DSML!");
}

// --- calls ---

TEST(OutputParser, ArgumentsAreStreamed) {
  OutputParser parser(kNoThinking);
  parser.push(kTO + invoke("read") + "<｜DSML｜ parameter name=\"path\" string=\"true\">");
  const auto events = parser.push("one \"two\"");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].kind, OutputEvent::Kind::kArguments);
  EXPECT_EQ(events[0].text, "one \\\"two\\\"");
}

TEST(OutputParser, ACallHasAStartArgumentsAndAnEnd) {
  using Kind = OutputEvent::Kind;
  const Parsed whole = parse_output("Ok\n\n" + (kTO + invoke("weather::forecast")) + kIC + kTC, kNoThinking);
  EXPECT_EQ(whole.events, (std::vector<OutputEvent>{{Kind::kContent, "Ok"},
                                                    {Kind::kCallStart, "forecast", "weather"},
                                                    {Kind::kArguments, "{}"},
                                                    {Kind::kCallEnd}}));
}

TEST(OutputParser, NothingAfterTheBlockCounts) {
  OutputParser parser(kNoThinking);
  parser.push(kTO + kRead + kTC);
  EXPECT_TRUE(parser.ended());
  EXPECT_TRUE(parser.push("more " + (kTO + kRead) + kTC).empty());
  EXPECT_TRUE(parser.finish(OutputEnd::kLimit).empty());
  EXPECT_EQ(parser.finish_reason(), FinishReason::kToolCalls);
}

TEST(OutputParser, B07AWholeBlockEndsReasoningThatWasNotClosed) {
  const std::string output = "Plan.\n\n" + (kTO + kRead) + kTC;
  EXPECT_EQ(parsed(output, kThinking), "Plan.||" + kReadResult);
  EXPECT_EQ(parsed(output + kTE + "Bye", kThinking), "Plan.||" + kReadResult);
  EXPECT_EQ(parse_output(output, kThinking).oddities.calls_in_reasoning, 1U);
}

TEST(OutputParser, B07QuotedMarkupInReasoningDoesNotRun) {
  const std::string mention =
      std::string("I write <｜DSML｜ calls> and ") + "<｜DSML｜ invoke name=\"read\"> then.\n\n";
  EXPECT_EQ(parsed(mention + kTE + "Ok", kThinking), mention.substr(0, mention.size() - 2) + "|Ok|");
  // Begun, never complete, then an answer.
  const std::string begun = "Like " + (kTO + invoke("read")) + "<｜DSML｜ parameter name=\"path\" string=\"true\">x";
  EXPECT_EQ(parsed(begun + kTE + "No.", kThinking), begun + "|No.|");
  EXPECT_EQ(parsed(begun, kThinking), begun + "||");
  // Complete, of a tool that was not declared.
  const std::string undeclared = "Like " + (kTO + invoke("rm")) + kIC + kTC;
  EXPECT_EQ(parsed(undeclared + kTE + "No.", kThinking), undeclared + "|No.|");
  // One invoke without its block, in the middle of a thought.
  const std::string bare = "Like " + kRead + "and go on.";
  EXPECT_EQ(parsed(bare + kTE + "No.", kThinking), bare + "|No.|");
}

TEST(OutputParser, B07QuotedMarkupInAnAnswerDoesNotRun) {
  for (const std::string quoted :
       {"Write <｜DSML｜ calls> first.", "The tag is <｜DSML｜ calls>", "So: <｜DSML｜ invoke name=\"read\"> reads.",
        "`<｜DSML｜ calls>\n<｜DSML｜ invoke name=\"read\">` reads.",
        "</｜DSML｜ calls> and <｜DSML｜ parameter name=\"x\">", "An empty <｜DSML｜ calls>\n</｜DSML｜ calls>."}) {
    EXPECT_EQ(parsed(quoted, kNoThinking), "|" + quoted + "|");
  }
}

TEST(OutputParser, B07ACallCutByTheLimitIsNotDelivered) {
  const std::string whole = "Ok\n\n" + (kTO + kRead) + kTC;
  const std::size_t end_of_call = whole.find("</｜DSML｜ invoke>") + std::string("</｜DSML｜ invoke>").size();
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    const Parsed parsed = parse_output(std::string_view(whole).substr(0, cut), kNoThinking, OutputEnd::kLimit);
    EXPECT_EQ(parsed.calls(), cut < end_of_call ? "" : kReadResult) << cut;
    EXPECT_EQ(parsed.finish, FinishReason::kLength) << cut;
    // An incomplete opener is text, what follows a complete one is not.
    EXPECT_TRUE(parsed.output.content.starts_with("Ok") || cut < 2) << cut;
    EXPECT_EQ(parsed.output.content.find('>'), std::string::npos) << cut;
  }
}

TEST(OutputParser, AnUnfinishedBlockLeavesTheTextBeforeIt) {
  const Parsed none =
      parse_output("Ok\n\n" + (kTO + invoke("read")) + parameter("path", "a"), kNoThinking, OutputEnd::kEndToken);
  EXPECT_EQ(none.output.content, "Ok");
  EXPECT_EQ(none.calls(), "");
  EXPECT_EQ(none.finish, FinishReason::kStop);
  EXPECT_EQ(none.oddities.incomplete_calls, 1U);
  const Parsed one = parse_output(kTO + kRead + invoke("read"), kNoThinking, OutputEnd::kEndToken);
  EXPECT_EQ(one.calls(), kReadResult);
  EXPECT_EQ(one.finish, FinishReason::kToolCalls);
}

TEST(OutputParser, B08ABareInvokeOfADeclaredToolIsACall) {
  EXPECT_EQ(parsed("Ok\n\n" + kRead + kTC, kNoThinking), "|Ok|" + kReadResult);
  EXPECT_EQ(parsed("Ok\n\n" + kRead, kNoThinking), "|Ok|" + kReadResult);
  EXPECT_EQ(parsed("Hm.\n" + kRead + kTC, kThinking), "Hm.||" + kReadResult);
  EXPECT_EQ(parse_output(kRead, kNoThinking).oddities.bare_calls, 1U);
}

TEST(OutputParser, B08ABareInvokeOfAnotherToolIsText) {
  const std::string text = "Ok\n\n" + invoke("rm") + parameter("path", "/") + kIC + kTC;
  EXPECT_EQ(parsed(text, kNoThinking), "|" + text + "|");
  EXPECT_EQ(parsed(kRead + kTC, kNoCalls), "|" + kRead + kTC + "|");
  OutputParser parser(kNoThinking);  // and does not hold up the stream
  EXPECT_EQ(parser.push(invoke("rm") + "x").at(0).text, invoke("rm") + "x");
}

TEST(OutputParser, AnUndeclaredNameInAProperBlockOfAnAnswerIsDelivered) {
  const Parsed parsed = parse_output(kTO + invoke("rm") + kIC + kTC, kNoThinking);
  EXPECT_EQ(parsed.calls(), "rm{};");
  EXPECT_FALSE(parsed.events.at(0).declared);
  EXPECT_TRUE(parse_output(kTO + kRead + kTC, kNoThinking).events.at(0).declared);
}

TEST(OutputParser, NearMissesOfTheTagsAreUnderstood) {
  const std::string whole = "Ok\n\n" + (kTO + kRead) + kTC;
  const std::pair<const char*, const char*> spellings[] = {
      {"｜DSML｜ ", "｜DSML｜"},
      {"<｜DSML｜ ", "<DSML｜ "},
      {"｜DSML｜ ", "｜｜DSML｜｜ "},
      {" calls", " function_calls"},
      {" calls", " tool_calls"},
      {"name=\"", "name=“"},
      {"name=\"read\"", "name=\"\"read\"\""},
      {"name=\"path\" string=\"true\"", "string=\"true\" name=\"path\""}};
  for (const auto& [from, to] : spellings) {
    EXPECT_EQ(parsed(replaced(whole, from, to), kNoThinking), "|Ok|" + kReadResult) << to;
  }
  EXPECT_EQ(parsed(replaced(whole, "\"", "”"), kNoThinking), "|Ok|" + kReadResult);
  EXPECT_EQ(parse_output(replaced(whole, "<｜", "<"), kNoThinking).oddities.near_misses, 1U);
  // Plain XML is text.
  const std::string xml = replaced(replaced(whole, "｜DSML｜ ", ""), "\n\n", " ");
  EXPECT_EQ(parsed(xml, kNoThinking), "|" + xml + "|");
}

TEST(OutputParser, ANearMissNeverRunsAnUndeclaredTool) {
  const std::string text = replaced(kTO + invoke("rm") + kIC + kTC, "<｜DSML｜ ", "<DSML｜ ");
  EXPECT_EQ(parsed(text, kNoThinking), "|" + text + "|");
  // Nor as the second call of a block whose first is declared.
  EXPECT_EQ(parsed(kRead + invoke("rm") + kIC + kRead, kNoThinking),
            "|" + std::string("|") + kReadResult + kReadResult);
}

TEST(OutputParser, AMissingEndOfAnInvokeIsImplied) {
  const std::string open = invoke("read") + parameter("path", "a");
  EXPECT_EQ(parsed(kTO + open + kTC, kNoThinking), "||" + kReadResult);
  EXPECT_EQ(parsed(kTO + open + open + kIC + kTC, kNoThinking), "||" + kReadResult + kReadResult);
}

TEST(OutputParser, WhatStandsBetweenParametersIsDropped) {
  EXPECT_EQ(parsed(kTO + invoke("read") + parameter("path", "a") + "and <b> also\n" + parameter("limit", "5", "false") +
                       kIC + "so\n" + kTC,
                   kNoThinking),
            "||read{\"path\": \"a\", \"limit\": 5};");
}

// --- arguments ---

std::string arguments(const std::string& parameters) {
  const std::string all = parsed(kTO + invoke("read") + parameters + kIC + kTC, kNoThinking);
  EXPECT_TRUE(all.starts_with("||read") && all.ends_with(";")) << all;
  const std::string json = all.size() < 7 ? "" : all.substr(6, all.size() - 7);
  const Result<Json> value = parse_json_text(json, "arguments");
  EXPECT_TRUE(value && value->is_object()) << json;
  return json;
}

TEST(OutputParser, B11TypesFollowTheFlag) {
  EXPECT_EQ(
      arguments(parameter("b", "true", "false") + parameter("i", "10", "false") + parameter("n", "1.50", "false") +
                parameter("l", "[]", "false") + parameter("o", "{\"k\":\n1}", "false") +
                parameter("z", " null ", "false") + parameter("limit", "10")),
      "{\"b\": true, \"i\": 10, \"n\": 1.50, \"l\": [], \"o\": {\"k\":\n1}, \"z\": null, \"limit\": \"10\"}");
}

TEST(OutputParser, B11InvalidJsonBecomesAStringThatTheClientRefuses) {
  EXPECT_EQ(
      arguments(parameter("limit", "True", "false") + parameter("x", "", "false") + parameter("y", "[1,", "false")),
      R"({"limit": "True", "x": "", "y": "[1,"})");
  EXPECT_EQ(parse_output(kTO + invoke("read") + parameter("limit", "x", "false") + kIC + kTC, kNoThinking)
                .oddities.invalid_values,
            1U);
}

TEST(OutputParser, B46DeepJsonFromTheModelBecomesAString) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const Parsed parsed = parse_output(kTO + invoke("read") + parameter("x", deep, "false") + kIC + kTC, kNoThinking);
  EXPECT_EQ(parsed.calls(), "read{\"x\": \"" + deep + "\"};");
}

TEST(OutputParser, AMissingFlagIsDecidedByTheSchema) {
  const auto flagless = [](const std::string& key, const std::string& value) {
    return "<｜DSML｜ parameter name=\"" + key + "\">" + value + "</｜DSML｜ parameter>\n";
  };
  EXPECT_EQ(arguments(flagless("path", "10") + flagless("limit", "10") + flagless("x", "ten")),
            R"({"path": "10", "limit": 10, "x": "ten"})");
}

TEST(OutputParser, ARepeatedParameterIsIgnored) {
  EXPECT_EQ(arguments(parameter("path", "a") + parameter("path", "1", "false") + parameter("limit", "2", "false") +
                      parameter("limit", "b")),
            R"({"path": "a", "limit": 2})");
}

TEST(OutputParser, ABodyOfJsonIsTakenAsItIs) {
  EXPECT_EQ(arguments("\n {\"b\":1.0,\n \"a\":\"</｜DSML\"}\n"), "{\"b\":1.0,\n \"a\":\"</｜DSML\"}");
  EXPECT_EQ(arguments("{\"b\": oops}\n"), R"({"arguments": "{\"b\": oops}\n"})");
}

TEST(OutputParser, ValuesAreTakenVerbatim) {
  EXPECT_EQ(
      arguments(parameter(
          "path", "“a” <｜DSML｜ calls>\n</｜DSML｜ invoke> \\ \t</tag> &lt;/ <｜DSML｜ parameter name=\"x\">")),
      R"({"path": "“a” <｜DSML｜ calls>\n</｜DSML｜ invoke> \\ \t</tag> &lt;/ <｜DSML｜ parameter name=\"x\">"})");
  // The end of a parameter as the prompt's history writes it, and as another model spells it.
  EXPECT_EQ(arguments(parameter("path", "x&lt;/｜DSML｜ parameter>y</｜DSML｜parameter> z")),
            R"({"path": "x</｜DSML｜ parameter>y</｜DSML｜parameter> z"})");
}

TEST(OutputParser, AnEndOfAnotherSpellingCountsWhereACallGoesOn) {
  EXPECT_EQ(arguments("<｜DSML｜ parameter name=\"path\" string=\"true\">a</｜DSML｜parameter>\n" +
                      parameter("limit", "1", "false")),
            R"({"path": "a", "limit": 1})");
}

TEST(OutputParser, KeysAreEscaped) {
  EXPECT_EQ(arguments(parameter("", "a") + parameter("\\ \t", "b")), R"({"": "a", "\\ \t": "b"})");
}

// --- half characters ---

TEST(OutputParser, B15HalfCharactersAreJoinedInEveryChannel) {
  const std::string emoji = "👩‍👩‍👧 中文 e\u0301";
  const std::string output = emoji + kTE + emoji + "\n\n" + kTO + invoke("read") + parameter("path", emoji) + kIC + kTC;
  EXPECT_EQ(parsed(output, kThinking), emoji + "|" + emoji + "|read{\"path\": \"" + emoji + "\"};");
  for (std::size_t cut = 0; cut < output.size(); ++cut) {
    OutputParser parser(kThinking);
    for (const OutputEvent& event : parser.push(std::string_view(output).substr(0, cut))) {
      EXPECT_EQ(event.text.find("\uFFFD"), std::string::npos) << cut;
    }
  }
}

TEST(OutputParser, B15ACharacterCutByTheLimitIsReplacedOnce) {
  EXPECT_EQ(parsed("ab\xF0\x9F\x98", kNoThinking, OutputEnd::kLimit), "|ab\uFFFD|");
  EXPECT_EQ(parsed("ab\xF0\x9F\x98", kThinking, OutputEnd::kLimit), "ab\uFFFD||");
}

// --- stop strings ---

std::string stopped(const std::string& output, std::vector<std::string> stop, bool thinking = false) {
  OutputParserOptions options = thinking ? kThinking : kNoThinking;
  options.stop = std::move(stop);
  return parsed(output, options);
}

TEST(OutputParser, B16StopStringsEndTheAnswer) {
  EXPECT_EQ(stopped("alpha beta gamma delta", {"beta gamma"}), "|alpha |");
  EXPECT_EQ(stopped("ABCDEFGHIJKL", {"DEFGHIJ"}), "|ABC|");
  EXPECT_EQ(stopped("ABCDEFGXABC", {"DEFGHIJ"}), "|ABCDEFGXABC|");  // begun, not completed
  EXPECT_EQ(stopped("ABCDEFG", {"DEFGHIJ"}), "|ABCDEFG|");          // ends while held
  EXPECT_EQ(stopped("xxabcd", {"abc", "ab"}), "|xx|");
  EXPECT_EQ(stopped("aaab", {"aab"}), "|a|");
  EXPECT_EQ(stopped("line\n\nmore", {"\n\n"}), "|line|");
}

TEST(OutputParser, B16StopStringsAreLookedForInTheAnswerOnly) {
  EXPECT_EQ(stopped("stop here</think>go stop", {"stop"}, true), "stop here|go |");
  EXPECT_EQ(stopped("Ok\n\n" + (kTO + kRead) + kTC, {"path", "DSML", "\n\n"}), "|Ok|" + kReadResult);
  // What is held for a stop string is told before the call.
  EXPECT_EQ(stopped("Ok sto\n\n" + (kTO + kRead) + kTC, {"stop"}), "|Ok sto|" + kReadResult);
}

TEST(OutputParser, B16TheReasonIsStop) {
  OutputParserOptions options = kNoThinking;
  options.stop = {"x"};
  OutputParser parser(options);
  parser.push("axb");
  EXPECT_TRUE(parser.ended());
  parser.finish(OutputEnd::kLimit);
  EXPECT_EQ(parser.finish_reason(), FinishReason::kStop);
}

}  // namespace
}  // namespace bolide::text
