// `bolide render`: the prompt of a conversation, as the model gets it.
#include <CLI/App.hpp>
#include <fmt/format.h>
#include <memory>

#include "app/command.h"
#include "app/engine_options.h"
#include "app/model_tokenizer.h"
#include "app/standard_streams.h"
#include "app/text_input.h"
#include "app/token_ids.h"
#include "text/chat_body.h"

namespace bolide::app {
namespace {

struct RenderOptions {
  std::string model;
  std::string file = "-";
  bool keep_reasoning_with_calls = false;
};

int render(const RenderOptions& options) {
  const Result<std::string> body = read_text_input(options.file);
  if (!body) return report_failure(body.error());
  Result<text::ChatRequest> request = text::parse_chat_body(*body);
  if (!request) return report_failure(request.error());
  request->options.keep_reasoning_with_calls = options.keep_reasoning_with_calls;
  const Result<text::Prompt> prompt = text::render_chat(request->conversation, request->options);
  if (!prompt) return report_failure(prompt.error());
  const Result<text::Tokenizer> tokenizer = open_tokenizer(options.model);
  if (!tokenizer) return report_failure(tokenizer.error());
  print_out(fmt::format("{{\"prompt\": {}, \"ids\": {}}}\n", text::json_quoted(prompt_text(*tokenizer, *prompt)),
                        format_token_ids(encode_prompt(*tokenizer, *prompt))));
  return kGood;
}

}  // namespace

void add_render(CLI::App& program, Action& action) {
  auto options = std::make_shared<RenderOptions>();
  CLI::App* command = program.add_subcommand("render", "Show the prompt of a conversation, as text and token ids");
  command->footer(
      "FILE is the body of a chat request (OpenAI's chat completions). Prints {\"prompt\": ..., \"ids\": [...]}.\n"
      "Example: echo '{\"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}]}' | bolide render");
  command->add_option("FILE", options->file, "The request as JSON; - is stdin. Default: -");
  add_model_option(*command, options->model);
  command->add_flag("--keep-reasoning-with-calls", options->keep_reasoning_with_calls,
                    "Keep past reasoning while the history holds tool calls, even if the request has no tools");
  command->callback([options, &action] { action = [options] { return render(*options); }; });
}

}  // namespace bolide::app
