// `bolide parse`: what the model's output says.
#include <CLI/App.hpp>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/command.h"
#include "app/engine_options.h"
#include "app/standard_streams.h"
#include "app/text_input.h"
#include "text/message.h"
#include "text/output_parser.h"

namespace bolide::app {
namespace {

struct ParseOptions {
  std::string file = "-";
  std::string tools;
  bool thinking = true;
  std::string tool_choice = "auto";
  std::vector<std::string> stop;
  u64 chunk = 0;  // 0: all at once
};

// A list of tools, or an object that holds one under "tools".
Result<text::ToolDeclarations> read_tools(const std::string& path) {
  if (path.empty()) return text::ToolDeclarations();
  const Result<std::string> json = read_text_input(path);
  if (!json) return json.error();
  Result<text::Json> document = text::parse_json_text(*json, path);
  if (!document) return document.error();
  text::Json* list = document->is_object() ? document->find("tools") : &*document;
  if (list == nullptr || !list->is_array()) return Error{path + ": an array of tools is wanted"};
  std::vector<text::Json> functions;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    Result<text::Json> function = text::read_tool(std::move(list->items[i]));
    if (!function) return Error{fmt::format("{}: tool {}: {}", path, i, function.error().message)};
    functions.push_back(std::move(*function));
  }
  return text::ToolDeclarations(functions);
}

std::string_view name(text::FinishReason reason) {
  switch (reason) {
    case text::FinishReason::kLength:
      return "length";
    case text::FinishReason::kToolCalls:
      return "tool_calls";
    default:
      return "stop";
  }
}

std::string as_json(const text::ParsedOutput& output, text::FinishReason finish) {
  std::string calls;
  for (const text::ParsedCall& call : output.calls) {
    if (!calls.empty()) calls += ", ";
    calls += "{\"name\": " + text::json_quoted(call.name);
    if (!call.name_space.empty()) calls += ", \"namespace\": " + text::json_quoted(call.name_space);
    calls += ", \"arguments\": " + call.arguments + "}";
  }
  return fmt::format("{{\"reasoning\": {}, \"content\": {}, \"tool_calls\": [{}], \"finish\": \"{}\"}}\n",
                     text::json_quoted(output.reasoning), text::json_quoted(output.content), calls, name(finish));
}

int parse(const ParseOptions& options) {
  Result<text::ToolDeclarations> tools = read_tools(options.tools);
  if (!tools) return report_failure(tools.error());
  const std::string& choice = options.tool_choice;
  if (choice != "auto" && choice != "none" && choice != "required" && !tools->contains(choice)) {
    return report_wrong_usage("parse",
                              {"--tool-choice: auto, none, required or the name of a tool is wanted, not " + choice});
  }
  const Result<std::string> input = read_text_input(options.file);
  if (!input) return report_failure(input.error());

  text::OutputParser parser({.thinking = options.thinking,
                             .calls_allowed = choice != "none",
                             .tools = std::move(*tools),
                             .stop = options.stop});
  text::ParsedOutput output;
  const std::size_t chunk = options.chunk > 0 ? options.chunk : std::max<std::size_t>(input->size(), 1);
  for (std::size_t at = 0; at < input->size() && !parser.ended(); at += chunk) {
    output.add(parser.push(std::string_view(*input).substr(at, chunk)));
  }
  output.add(parser.finish(text::OutputEnd::kLimit));
  print_out(as_json(output, parser.finish_reason()));
  return kGood;
}

}  // namespace

void add_parse(CLI::App& program, Action& action) {
  auto options = std::make_shared<ParseOptions>();
  CLI::App* command =
      program.add_subcommand("parse", "Take the model's output apart: reasoning, answer and tool calls");
  command->footer(
      "FILE is what the model wrote after the prompt, control tokens as their text. Without the end token it counts "
      "as\n"
      "cut by the token limit. Prints {\"reasoning\", \"content\", \"tool_calls\", \"finish\"}.\n"
      "Example: echo -n \"Hm.</think>Hi\" | bolide parse");
  command->add_option("FILE", options->file, "The output; - is stdin. Default: -");
  command->add_option("--tools", options->tools, "The request's tools: a JSON array, or a request with \"tools\"")
      ->type_name("FILE");
  command
      ->add_option_function<std::string>(
          "--thinking", [options](const std::string& value) { options->thinking = value == "on"; },
          "Whether the output begins with reasoning: on or off. Default: on")
      ->check(CLI::IsMember({"on", "off"}))
      ->type_name("on|off");
  command->add_option("--tool-choice", options->tool_choice, "auto, none, required or a tool's name. Default: auto")
      ->type_name("CHOICE");
  command->add_option("--stop", options->stop, "Text that ends the answer; may be given several times")
      ->check([](const std::string& value) { return value.empty() ? "is empty" : ""; })
      ->type_name("TEXT");
  command->add_option("--chunk", options->chunk, "Feed the parser N bytes at a time. Default: all at once")
      ->check(whole_number_from(1))
      ->type_name("N");
  command->callback([options, &action] { action = [options] { return parse(*options); }; });
}

}  // namespace bolide::app
