// Speed of prompts and outputs on one core, in processor time, the best of several runs: rendering a history of 4,000
// messages (wanted: below 20 ms), and MB per second of the output parser (wanted: at least 50).
//   dialogue_bench
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "processor_time.h"

#include "text/chat_body.h"
#include "text/output_parser.h"

namespace {

using namespace bolide;
using bench::best_seconds;

constexpr std::size_t kOutputBytes = 4'000'000;
constexpr const char* kTool =
    R"({"type": "function", "function": {"name": "read", "description": "Read a file", "parameters": )"
    R"({"type": "object", "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}}}}})";

// An agent's session: question, call, result, answer, again and again.
std::string agent_history(int n_messages) {
  std::string body = std::string("{\"tools\": [") + kTool + "], \"messages\": [";
  for (int i = 0; i < n_messages; i += 4) {
    const std::string id = "call_" + std::to_string(i);
    body +=
        R"({"role": "user", "content": "Please look at the next file and tell me what it does, in a few words."}, )";
    body += R"({"role": "assistant", "reasoning_content": "I should read the file before I answer.", "content": "", )"
            R"("tool_calls": [{"id": ")" +
            id +
            R"(", "type": "function", "function": {"name": "read", )"
            R"("arguments": "{\"path\":\"src/text/chat.cc\",\"limit\":200}"}}]}, )";
    body += R"({"role": "tool", "tool_call_id": ")" + id + R"(", "content": ")";
    for (int line = 0; line < 20; ++line) body += "  for (const auto& item : items) total += item.size();  // sum\\n";
    body += R"("}, {"role": "assistant", "reasoning_content": "Simple.", "content": "It adds up the sizes."}, )";
  }
  return body + R"({"role": "user", "content": "Thanks."}]})";
}

void render_history() {
  const std::string body = agent_history(4000);
  const double parse = best_seconds([&] { (void)text::parse_chat_body(body); });
  const text::ChatRequest request = text::parse_chat_body(body).value();
  std::size_t prompt_bytes = 0;
  const double render = best_seconds([&] {
    const text::Prompt prompt = text::render_chat(request.conversation, request.options).value();
    prompt_bytes = 0;
    for (const text::TextSpan& span : prompt.parts.at(0).text) prompt_bytes += span.text.size();
  });
  std::printf("%zu messages, body of %.2f MB: read in %.1f ms (%.0f MB/s), rendered in %.1f ms (%.2f MB)\n",
              request.conversation.messages.size(), static_cast<double>(body.size()) / 1e6, parse * 1e3,
              static_cast<double>(body.size()) / 1e6 / parse, render * 1e3, static_cast<double>(prompt_bytes) / 1e6);
}

std::string repeated(std::string_view piece) {
  std::string text;
  while (text.size() < kOutputBytes) text += piece;
  return text;
}

void parse_output(const char* name, const std::string& output, const text::OutputParserOptions& options) {
  std::printf("%-34s", name);
  for (const std::size_t size : {std::size_t{4}, std::size_t{64}, output.size()}) {
    const double seconds = best_seconds([&] {
      text::OutputParser parser(options);
      std::size_t told = 0;
      for (std::size_t at = 0; at < output.size(); at += size) {
        for (const text::OutputEvent& event : parser.push(std::string_view(output).substr(at, size))) {
          told += event.text.size();
        }
      }
      if (told == 0) std::printf(" nothing was told:");
    });
    std::printf(" %8.0f", static_cast<double>(output.size()) / 1e6 / seconds);
  }
  std::printf("\n");
}

}  // namespace

int main() {
  render_history();
  const text::Json tool = text::read_tool(text::parse_json_text(kTool, "tool").value()).value();
  const text::OutputParserOptions plain = {.thinking = false, .tools = text::ToolDeclarations({tool})};
  text::OutputParserOptions stops = plain;
  stops.stop = {"Observation:", "<|end|>", "\n\nHuman:", "STOP"};
  const std::string prose =
      repeated("The answer is long, with some words in it.\nAnd **another** line, as text goes.\n\n");
  const std::string code = repeated("  if (a < b && c > d) out << \"<b>\" << x << '\\n';  // 中文\n");
  const std::string block = "<｜DSML｜ calls>\n";
  const std::string invoke = "<｜DSML｜ invoke name=\"read\">\n";
  const std::string opening = "<｜DSML｜ parameter name=\"path\" string=\"true\">";
  const std::string calls =
      repeated(invoke + opening + "src/a.cc</｜DSML｜ parameter>\n" +
               "<｜DSML｜ parameter name=\"limit\" string=\"false\">5</｜DSML｜ parameter>\n" + "</｜DSML｜ invoke>\n");
  std::printf("%-34s %8s %8s %8s\n", "output, MB/s in pieces of", "4 bytes", "64", "all");
  parse_output("prose", prose, plain);
  parse_output("prose, four stop strings", prose, stops);
  parse_output("code", code, plain);
  parse_output("one call with a long string", block + invoke + opening + code, plain);
  parse_output("many short calls", block + calls, plain);
  return 0;
}
