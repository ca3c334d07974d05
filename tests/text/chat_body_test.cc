#include "text/chat_body.h"

#include <gtest/gtest.h>
#include <string>

#include "text/nano_tokenizer.h"

namespace bolide::text {
namespace {

std::string with_messages(const std::string& messages, const std::string& more = "") {
  return "{\"messages\": [" + messages + "]" + more + "}";
}
constexpr const char* kUser = R"({"role": "user", "content": "x"})";

std::string error_of(const std::string& body) {
  const Result<ChatRequest> request = parse_chat_body(body);
  return request ? "accepted" : request.error().message;
}

std::string rendered(const std::string& body) {
  const Result<ChatRequest> request = parse_chat_body(body);
  if (!request) return "error: " + request.error().message;
  return prompt_text(nano_tokenizer(), *render_chat(request->conversation, request->options));
}

TEST(ChatBody, AllFormsOfContentAreRead) {
  const std::string prompt = rendered(with_messages(
      R"({"role": "developer", "content": [{"type": "input_text", "text": "A"}, {"type": "text", "text": "B"}]},
         {"role": "user", "content": null},
         {"role": "assistant", "content": [{"type": "output_text", "text": "C"}]},
         {"role": "user", "content": ["D", {"type": "image_url", "image_url": "data:x"}, {"type": "input_image", "image_url": "u"}]},
         {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}},
         {"role": "function", "name": "f", "content": "E"})",
      ", \"thinking\": false"));
  EXPECT_EQ(prompt,
            "<｜begin▁of▁sentence｜><｜System｜>A\n\nB<｜User｜><｜Assistant｜></think>C<｜end▁of▁sentence｜>"
            "<｜User｜>D\n\n<｜deepseek_image｜>\n\n<｜deepseek_image｜><｜Assistant｜></think>\n\n<｜DSML｜ calls>\n"
            "<｜DSML｜ invoke name=\"f\">\n\n</｜DSML｜ invoke>\n</｜DSML｜ calls><｜end▁of▁sentence｜>"
            "<｜User｜><tool_result>E</tool_result><｜Assistant｜></think>");
}

TEST(ChatBody, PrefixLeavesTheLastAnswerOpen) {
  EXPECT_TRUE(rendered(with_messages(R"({"role": "user", "content": "x"},
      {"role": "assistant", "content": "1,", "prefix": true})"))
                  .ends_with("<think></think>1,"));
}

TEST(ChatBody, ReasoningHasSeveralNames) {
  for (const std::string key : {"reasoning_content", "reasoning", "reasoning_text"}) {
    const auto request =
        parse_chat_body(with_messages(R"({"role": "assistant", "content": "", ")" + key + R"(": "r"})"));
    EXPECT_EQ(request->conversation.messages[0].reasoning, "r");
  }
}

TEST(ChatBody, EffortIsReadWhereverItArrives) {
  const auto effort = [](const std::string& fields) {
    const auto request = parse_chat_body(with_messages(kUser, fields));
    return request ? request->options.effort : -1;
  };
  EXPECT_EQ(effort(""), 75);
  for (const auto& [name, n] : std::initializer_list<std::pair<std::string, int>>{{"none", 0},
                                                                                  {"minimal", 50},
                                                                                  {"low", 50},
                                                                                  {"medium", 75},
                                                                                  {"high", 75},
                                                                                  {"xhigh", 75},
                                                                                  {"max", 100},
                                                                                  {"ultra", 100}}) {
    EXPECT_EQ(effort(R"(, "reasoning_effort": ")" + name + '"'), n) << name;
  }
  EXPECT_EQ(effort(R"(, "reasoning_effort": 12)"), 12);
  EXPECT_EQ(effort(R"(, "reasoning_effort": 0)"), 0);
  EXPECT_EQ(effort(R"(, "reasoning_effort": null)"), 75);
  EXPECT_EQ(effort(R"(, "thinking": {"type": "disabled"})"), 0);
  EXPECT_EQ(effort(R"(, "thinking": {"type": "enabled"}, "reasoning_effort": "low")"), 50);
  EXPECT_EQ(effort(R"(, "thinking": {"type": "adaptive"})"), 75);
  EXPECT_EQ(effort(R"(, "chat_template_kwargs": {"enable_thinking": false})"), 0);
  EXPECT_EQ(effort(R"(, "chat_template_kwargs": {"thinking": true, "reasoning_effort": "max"})"), 100);
  // Off wins, then a number, then a name.
  EXPECT_EQ(effort(R"(, "thinking": false, "reasoning_effort": 30)"), 0);
  EXPECT_EQ(effort(R"(, "reasoning_effort": "max", "chat_template_kwargs": {"reasoning_effort": 30})"), 30);
  for (const std::string bad : {"true", "1.0", "101", "-1", "\"hard\"", "[]"}) {
    EXPECT_EQ(effort(", \"reasoning_effort\": " + bad), -1) << bad;
  }
  EXPECT_EQ(parse_chat_body(with_messages(kUser, R"(, "thinking": {"type": "enabled", "budget_tokens": 9})"))
                ->reasoning_budget,
            9U);
}

TEST(ChatBody, ToolsOfOtherKindsAreSkipped) {  // pitfalls B14
  const auto request = parse_chat_body(with_messages(
      kUser,
      R"(, "tools": [{"type": "web_search"}, {"type": "function", "function": {"name": "f"}}, {"type": "custom", "name": 7}])"));
  ASSERT_TRUE(request);
  ASSERT_EQ(request->conversation.tools.size(), 1U);
  EXPECT_EQ(dump_json(request->conversation.tools[0]), R"({"name": "f"})");
}

TEST(ChatBody, TheSchemaOfAResponseFormatIsShown) {
  const auto shown = [](const std::string& format, const std::string& text = "x") {
    const auto request = parse_chat_body(
        with_messages(R"({"role": "user", "content": ")" + text + "\"}", ", \"response_format\": " + format));
    const auto& schema = request->conversation.response_format;
    return schema ? dump_json(*schema) : "none";
  };
  EXPECT_EQ(shown(R"({"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "array"}}})"),
            R"({"type": "array"})");
  EXPECT_EQ(shown(R"({"type": "json_object"})"), R"({"type": "json_object"})");
  EXPECT_EQ(shown(R"({"type": "json_object"})", "Answer in Json."), "none");
  EXPECT_EQ(shown(R"({"type": "text"})"), "none");
}

TEST(ChatBody, B43WrongFieldsAreNamed) {
  const auto message = [](const std::string& fields) { return error_of(with_messages("{" + fields + "}")); };
  EXPECT_EQ(error_of(""), "the request: no valid JSON at byte 0: it is empty");
  EXPECT_EQ(error_of("[]"), "the request: an object with \"messages\" is wanted, not an array");
  EXPECT_EQ(error_of("{}"), "messages: at least one message is wanted");
  EXPECT_EQ(error_of(R"({"messages": null})"), "messages: at least one message is wanted");
  EXPECT_EQ(error_of(R"({"messages": {}})"), "messages: an array is wanted, not an object");
  EXPECT_EQ(error_of(R"({"messages": 7})"), "messages: an array is wanted, not 7");
  EXPECT_EQ(error_of(R"({"messages": []})"), "messages: at least one message is wanted");
  EXPECT_EQ(error_of(R"({"messages": ["x"]})"), "messages[0]: an object is wanted");
  EXPECT_EQ(message(R"("role": "root")").substr(0, 17), "messages[0].role:");
  EXPECT_EQ(message(R"("role": 1)"), "messages[0].role: a string is wanted, not 1");
  EXPECT_EQ(message(R"("content": "x")").substr(0, 17), "messages[0].role:");
  EXPECT_EQ(message(R"("role": "user", "content": 7)"),
            "messages[0].content: a string or an array of parts is wanted, not 7");
  EXPECT_EQ(message(R"("role": "user", "content": [{"type": "text", "text": 7}])"),
            "messages[0].content[0].text: a string is wanted, not 7");
  EXPECT_EQ(message(R"("role": "user", "content": [7])"), "messages[0].content[0]: a part with a \"type\" is wanted");
  EXPECT_EQ(message(R"("role": "user", "task": "root")").substr(0, 17), "messages[0].task:");
  EXPECT_EQ(message(R"("role": "assistant", "tool_calls": {})"),
            "messages[0].tool_calls: an array is wanted, not an object");
  EXPECT_EQ(message(R"("role": "assistant", "tool_calls": [{"function": {"arguments": "{}"}}])"),
            "messages[0].tool_calls[0].function.name: the function's name is wanted");
  EXPECT_EQ(message(R"("role": "assistant", "tool_calls": [{"function": {"name": "f"}, "id": 3}])"),
            "messages[0].tool_calls[0].id: a string is wanted, not 3");
  EXPECT_EQ(message(R"("role": "tool", "tool_call_id": 3, "content": "")"),
            "messages[0].tool_call_id: a string is wanted, not 3");
  EXPECT_EQ(error_of(with_messages(kUser, R"(, "tools": {})")), "tools: an array is wanted, not an object");
  EXPECT_EQ(error_of(with_messages(kUser, R"(, "tools": [{"type": "function", "function": {}}])")),
            "tools[0]: a function needs a name");
  EXPECT_EQ(error_of(with_messages(kUser, R"(, "response_format": {"type": "xml"})")).substr(0, 21),
            "response_format.type:");
  EXPECT_EQ(error_of(with_messages(kUser, R"(, "thinking": {"type": 1})")), "thinking.type: a string is wanted, not 1");
  EXPECT_EQ(error_of(with_messages(kUser, R"(, "drop_thinking": "no")")),
            "drop_thinking: true or false is wanted, not \"no\"");
  // A long value is cut, between characters.
  const std::string error = message(R"("role": ")" + std::string(1, 'a') + std::string(30, 'x') + "中中中中中中中\"");
  EXPECT_TRUE(error.ends_with("中中...")) << error;
}

TEST(ChatBody, B43InvalidUtf8IsRefusedWithoutRepeatingIt) {
  const std::string error = error_of(with_messages("{\"role\": \"user\", \"content\": \"\xD6\xD0\"}"));
  EXPECT_NE(error.find("invalid UTF-8"), std::string::npos);
  EXPECT_EQ(error.find('\xD6'), std::string::npos);
}

TEST(ChatBody, B46DeepNestingIsRefusedEvenWhereItIsIgnored) {
  for (const int depth : {10, 200}) {
    EXPECT_EQ(error_of(with_messages(kUser, ", \"x\": " + std::string(depth, '[') + std::string(depth, ']'))),
              "accepted");
  }
  for (const int depth : {256, 257, 100'000}) {  // the body itself is a level
    EXPECT_NE(error_of(with_messages(kUser, ", \"x\": " + std::string(depth, '[') + std::string(depth, ']')))
                  .find("nested too deeply"),
              std::string::npos);
  }
}

TEST(ChatBody, ManyCallsAndResultsAreReadInReasonableTime) {  // pitfalls B43: quadratic work would take minutes
  std::string calls;
  std::string results;
  for (int i = 0; i < 4096; ++i) {
    const std::string id = "call_" + std::to_string(i);
    calls += (i > 0 ? ", " : "") + ("{\"id\": \"" + id) + R"(", "function": {"name": "f", "arguments": "{}"}})";
    results = R"(, {"role": "tool", "tool_call_id": ")" + id + R"(", "content": ")" + id + "\"}" + results;
  }
  const std::string prompt =
      rendered(with_messages(R"({"role": "assistant", "content": null, "tool_calls": [)" + calls + "]}" + results));
  EXPECT_NE(prompt.find("<tool_result>call_7</tool_result>\n\n<tool_result>call_8</tool_result>"), std::string::npos);
}

}  // namespace
}  // namespace bolide::text
