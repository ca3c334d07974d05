// `bolide logits`: the logits after the last tokens of a list.
#include <CLI/App.hpp>
#include <fmt/format.h>
#include <memory>

#include "app/command.h"
#include "app/engine_options.h"
#include "app/json_number.h"
#include "app/npy_file.h"
#include "app/standard_streams.h"
#include "app/token_ids.h"

namespace bolide::app {
namespace {

struct LogitsOptions {
  engine::EngineOptions engine;
  std::string ids;
  u64 last = 1;
  u64 threads = 1;
  std::string npy;
};

using Sink = engine::Engine::LogitsSink;

// {"positions": [...], "logits": [[...]]}, one row a line, printed as they come.
int print_json(engine::Engine& engine, std::span<const u32> ids, u64 first) {
  std::string json = "{\"positions\": [";
  for (u64 position = first; position < ids.size(); ++position)
    json += fmt::format("{}{}", position == first ? "" : ", ", position);
  json += "], \"logits\": [";
  const Status status = engine.evaluate(ids, first, [&](u64 position, std::span<const float> logits) {
    json += position == first ? "\n[" : ",\n[";
    for (std::size_t i = 0; i < logits.size(); ++i) {
      if (i > 0) json += ", ";
      append_number(json, logits[i]);
    }
    json += ']';
    const bool going_on = print_out(json);
    json.clear();
    return going_on;
  });
  if (!status) return report_failure(status.error());
  print_out("]}\n");
  return kGood;
}

int write_npy(engine::Engine& engine, std::span<const u32> ids, u64 first, const std::string& path) {
  Result<NpyWriter> file = NpyWriter::create(path, ids.size() - first, engine.config().vocab_size);
  if (!file) return report_failure(file.error());
  Status written;
  const Status status = engine.evaluate(ids, first, [&](u64, std::span<const float> logits) {
    written = file->append(logits);
    return written.ok();
  });
  if (!status) return report_failure(status.error());
  if (written) written = file->finish();
  return written ? kGood : report_failure(written.error());
}

int logits(const LogitsOptions& options) {
  const Result<std::unique_ptr<engine::Engine>> engine = open_engine(options.engine);
  if (!engine) return report_failure(engine.error());
  const Result<std::vector<u32>> ids = read_token_ids(options.ids, (*engine)->config().vocab_size);
  if (!ids) return report_failure(ids.error());
  if (options.last > ids->size()) {
    return report_wrong_usage("logits", Error{fmt::format("--last {} is more than the {} tokens of {}", options.last,
                                                          ids->size(), options.ids)});
  }
  const u64 first = ids->size() - options.last;
  return options.npy.empty() ? print_json(**engine, *ids, first) : write_npy(**engine, *ids, first, options.npy);
}

}  // namespace

void add_logits(CLI::App& program, Action& action) {
  auto options = std::make_shared<LogitsOptions>();
  CLI::App* command = program.add_subcommand("logits", "Print the model's logits for a list of token ids, as JSON");
  command->footer(
      "Prints {\"positions\": [...], \"logits\": [[...]]}; position i, counted from 0, has the logits after token i.\n"
      "Example: echo -n \"Good morning\" | bolide tokenize | bolide logits --ids - --last 1");
  add_engine_options(*command, options->engine);
  add_ids_option(*command, options->ids)->required();
  command->add_option("--last", options->last, "How many positions, counted from the end. Default: 1")
      ->check(whole_number_from(1))
      ->type_name("N");
  command->add_option("--threads", options->threads, "Threads to compute with; the oracle always takes one")
      ->check(whole_number_from(1))
      ->type_name("N");
  command->add_option("--npy", options->npy, "Write a NumPy array [positions, vocabulary] to a file instead of JSON")
      ->type_name("FILE");
  command->callback([options, &action] { action = [options] { return logits(*options); }; });
}

}  // namespace bolide::app
