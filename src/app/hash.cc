// `bolide hash`: the hashes that identify a computation, for comparison with another machine, backend or program.
#include <CLI/App.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "app/command.h"
#include "app/engine_options.h"
#include "app/fingerprint_json.h"
#include "app/standard_streams.h"
#include "app/token_ids.h"

namespace bolide::app {
namespace {

struct HashOptions {
  engine::EngineOptions engine;
  std::string ids;
  std::vector<u64> at;
  bool streams = false;
};

int hash(const HashOptions& options) {
  const Result<std::unique_ptr<engine::Engine>> engine = open_engine(options.engine);
  if (!engine) return report_failure(engine.error());
  const Result<std::vector<u32>> ids = read_token_ids(options.ids, (*engine)->config().vocab_size);
  if (!ids) return report_failure(ids.error());
  std::vector<u64> at = options.at;
  if (at.empty()) at.push_back(ids->size());
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  if (at.back() > ids->size()) {
    return report_wrong_usage(
        "hash", Error{fmt::format("--at {} is more than the {} tokens of {}", at.back(), ids->size(), options.ids)});
  }
  const auto fingerprints = (*engine)->fingerprints(*ids, at, options.streams);
  if (!fingerprints) return report_failure(fingerprints.error());
  print_out(format_fingerprints(*fingerprints));
  return kGood;
}

}  // namespace

void add_hash(CLI::App& program, Action& action) {
  auto options = std::make_shared<HashOptions>();
  CLI::App* command = program.add_subcommand("hash", "Print hashes of state, logits and draft, to compare two machines");
  command->footer(
      "Equal hashes mean equal bits. Prints a JSON list: per length the hashes of the session's state and of the last\n"
      "logits, the likeliest next token, and the drafter's guesses and hashes.\n"
      "Example: echo -n \"Good morning\" | bolide tokenize | bolide hash --ids -");
  add_engine_options(*command, options->engine);
  add_ids_option(*command, options->ids)->required();
  command->add_option("--at", options->at, "After how many tokens, comma-separated. Default: after all of them")
      ->delimiter(',')
      ->check(whole_number_from(1))
      ->type_name("P,...");
  command->add_flag("--streams", options->streams, "Also hash the four streams of the last position, block by block");
  command->callback([options, &action] { action = [options] { return hash(*options); }; });
}

}  // namespace bolide::app
