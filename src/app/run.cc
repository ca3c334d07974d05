// `bolide run`: a chat at the terminal, or one answer.
#include <CLI/App.hpp>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>

#include "app/chat.h"
#include "app/chat_once.h"
#include "app/command.h"
#include "app/engine_options.h"
#include "app/standard_streams.h"
#include "app/terminal.h"
#include "app/text_input.h"
#include "app/token_ids.h"

namespace bolide::app {
namespace {

constexpr u64 kLimitBytes = u64{64} << 20;  // of stdin

struct RunOptions {
  engine::EngineOptions engine;
  AnswerSettings answer;
  std::optional<float> temperature;
  std::optional<std::string> prompt;
  bool add_stdin = false;
  std::string system;
  bool raw = false;
  std::string ids;
  bool print_ids = false;
  bool json = false;
  std::string schema_file;
};

// What the answer has to be.
Status read_schema(const RunOptions& options, const text::Tokenizer& tokenizer, AnswerSettings& settings) {
  if (!options.json && options.schema_file.empty()) return {};
  if (options.json) {
    settings.response_schema = text::Json{.kind = text::Json::Kind::kTrue};
  } else {
    const Result<std::string> text = read_text_input(options.schema_file);
    if (!text) return text.error();
    Result<text::Json> schema = text::parse_json_text(*text, options.schema_file);
    if (!schema) return schema.error();
    if (!schema->is_object()) return Error{fmt::format("{}: a JSON Schema is an object", options.schema_file)};
    settings.response_schema = std::move(*schema);
  }
  settings.vocabulary = std::make_shared<const text::Vocabulary>(tokenizer);
  return {};
}

// What the person wants to be computed.
struct Task {
  enum class Kind { kChat, kText, kIds, kNothing };
  Kind kind;
  std::string text;  // of kText
};

Status check_options(const RunOptions& options) {
  session::Sampling sampling;
  sampling.temperature = options.temperature.value_or(0);
  sampling.top_p = options.answer.top_p;
  if (Status status = session::check_sampling(sampling); !status) return status;
  if (options.prompt && options.prompt->empty()) return Error{"-p needs a text"};
  return {};
}

// Without its final line end, which belongs to the file and not to the question.
std::string as_question(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

Result<Task> text_of_stdin(const RunOptions& options) {
  if (::isatty(STDIN_FILENO) == 1)
    std::fputs("bolide: reading the question from the terminal; Ctrl+D ends it\n", stderr);
  Result<std::string> input = read_stdin(kLimitBytes);
  if (!input) return input.error();
  const std::string text = options.raw ? std::move(*input) : as_question(std::move(*input));
  if (options.prompt) return Task{Task::Kind::kText, *options.prompt + (options.raw ? "" : "\n\n") + text};
  return Task{text.empty() ? Task::Kind::kNothing : Task::Kind::kText, text};
}

Result<Task> find_task(const RunOptions& options) {
  if (!options.ids.empty()) return Task{Task::Kind::kIds, {}};
  if (options.add_stdin || (!options.prompt && (options.raw || options.print_ids || !is_interactive_terminal()))) {
    return text_of_stdin(options);
  }
  if (options.prompt) return Task{Task::Kind::kText, *options.prompt};
  return Task{Task::Kind::kChat, {}};
}

// The begin token first, unless the text has it.
std::vector<u32> raw_prompt(const std::string& text, const text::Tokenizer& tokenizer) {
  const text::TextSpan begin = text::begin_of_prompt();
  return tokenizer.encode((text.starts_with(begin.text) ? "" : begin.text) + text, text::AddedTokens::kMatch);
}

Dialogue dialogue(const RunOptions& options) {
  Dialogue dialogue;
  dialogue.set_system(options.system);
  return dialogue;
}

// The request of every task but a chat.
Result<engine::Request> make_request(const RunOptions& options, const Task& task, const AnswerSettings& settings,
                                     const engine::Engine& engine) {
  const text::Tokenizer& tokenizer = engine.tokenizer();
  if (task.kind == Task::Kind::kIds) {
    Result<std::vector<u32>> ids = read_token_ids(options.ids, engine.config().vocab_size);
    if (!ids) return ids.error();
    return raw_request(std::move(*ids), tokenizer, settings);
  }
  if (options.raw) return raw_request(raw_prompt(task.text, tokenizer), tokenizer, settings);
  Dialogue asked = dialogue(options);
  asked.ask(task.text);
  return asked.request(tokenizer, settings);
}

AnswerSettings answer_settings(const RunOptions& options, const model::Config& config) {
  AnswerSettings settings = options.answer;
  settings.temperature = options.temperature.value_or(default_temperature(config));
  return settings;
}

int run(const RunOptions& options) {
  if (const Status status = check_options(options); !status) return report_wrong_usage("run", status.error());
  const Result<Task> task = find_task(options);
  if (!task) return report_failure(task.error());
  if (task->kind == Task::Kind::kNothing) {
    std::fputs(
        "bolide: nothing to answer, because stdin is empty; give a question with -p, or start a chat in a "
        "terminal\n",
        stderr);
    return kGood;
  }
  const Result<std::unique_ptr<engine::Engine>> engine = open_engine(options.engine);
  if (!engine) return report_failure(engine.error());
  AnswerSettings settings = answer_settings(options, (*engine)->config());
  if (const Status status = read_schema(options, (*engine)->tokenizer(), settings); !status)
    return report_failure(status.error());
  if (task->kind == Task::Kind::kChat) {
    return chat(**engine, {.dialogue = dialogue(options),
                           .settings = settings,
                           .totals = {},
                           .context = (*engine)->context(),
                           .tokenizer = &(*engine)->tokenizer(),
                           .attached = {},
                           .may_replace = {}});
  }
  Result<engine::Request> request = make_request(options, *task, settings, **engine);
  if (!request) return report_failure(request.error());
  if (options.print_ids) return print_new_ids(**engine, std::move(*request));
  if (options.raw || task->kind == Task::Kind::kIds) return continue_prompt(**engine, std::move(*request));
  return answer_question(**engine, std::move(*request), settings);
}

// Gives --think, which only a dialogue knows.
CLI::Option* add_sampling_options(CLI::App& command, RunOptions& options) {
  AnswerSettings& answer = options.answer;
  command.add_option("-n", answer.max_tokens, fmt::format("At most N new tokens. Default: {}", answer.max_tokens))
      ->check(whole_number_from(1))
      ->type_name("N");
  CLI::Option* think =
      command
          .add_option("--think", answer.effort,
                      fmt::format("How much the model thinks, 1 to 100; 0 = not at all. Default: {}", answer.effort))
          ->check(CLI::Range(0, 100))
          ->type_name("N");
  command
      .add_option("--think-budget", answer.think_budget,
                  "At most N tokens of thinking, then the answer begins. Default: no limit of its own")
      ->type_name("N");
  command
      .add_option("--temp", options.temperature,
                  "Temperature; 0 always takes the likeliest token. Default: 1, but 0 for models as small as nano")
      ->type_name("T");
  command
      .add_option(
          "--top-p", answer.top_p,
          fmt::format("Draw from the likeliest tokens with this probability together. Default: {}", answer.top_p))
      ->type_name("P");
  command.add_option("--seed", answer.seed, "The same seed gives the same answer. Default: a new one for each answer")
      ->check(whole_number_from(0))
      ->type_name("N");
  return think;
}

}  // namespace

void add_run(CLI::App& program, Action& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = program.add_subcommand("run", "Chat with the model, or ask one question");
  command->footer(
      "In a terminal, without -p, this is a chat; /help there lists its commands. Otherwise the question is taken from "
      "-p "
      "or\nstdin and only the answer is printed on stdout.\n"
      "Example: bolide run -p \"What is the capital of Norway?\"\n"
      "         git diff | bolide run --stdin -p \"What does this change?\"");
  CLI::Option* prompt = command->add_option("-p,--prompt", options->prompt, "The question")->type_name("TEXT");
  CLI::Option* add_stdin =
      command->add_flag("--stdin", options->add_stdin, "Add the text of stdin to the question, after a blank line");
  CLI::Option* system = command->add_option("--system", options->system, "A system text: tells the model how to behave")
                            ->type_name("TEXT");
  CLI::Option* raw = command->add_flag("--raw", options->raw,
                                       "Continue the text as it is, without the format of a dialogue; names of control "
                                       "tokens in it are these tokens");
  CLI::Option* think = add_sampling_options(*command, *options);
  CLI::Option* ids = add_ids_option(*command, options->ids);
  ids->excludes(prompt)->excludes(add_stdin)->excludes(system)->excludes(raw)->excludes(think);
  raw->excludes(system)->excludes(think);
  CLI::Option* json = command->add_flag("--json", options->json, "The answer is one JSON object");
  CLI::Option* schema =
      command
          ->add_option("--schema", options->schema_file,
                       "The answer is one JSON value by this JSON Schema (docs/constrained-output.md)")
          ->type_name("FILE");
  json->excludes(schema)->excludes(raw)->excludes(ids);
  schema->excludes(raw)->excludes(ids);
  command->add_flag("--print-ids", options->print_ids, "Print the ids of the new tokens, as a JSON array, and no text");
  add_engine_options(*command, options->engine);
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace bolide::app
