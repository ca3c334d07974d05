// `bolide selftest`: proves the arithmetic of this build on this machine.
#include <CLI/App.hpp>
#include <fmt/format.h>
#include <memory>
#include <vector>

#include "app/command.h"
#include "app/crest_factors.h"
#include "app/engine_options.h"
#include "app/fingerprint_json.h"
#include "app/manifest.h"
#include "app/standard_streams.h"
#include "app/text_table.h"
#include "app/token_ids.h"
#include "app/vector_replay.h"
#include "engine/timeline.h"

namespace bolide::app {
namespace {

struct SelftestOptions {
  std::string vectors;
  std::string model;
  std::string ids;
  std::string manifest;

  // Without --vectors the model is tested, the default one where none is named.
  bool tests_model() const { return vectors.empty() || !model.empty() || !ids.empty() || !manifest.empty(); }
};

// Longer than a window of 128 tokens with any tokenizer.
constexpr std::string_view kText =
    "A fireball that outshines the planets is called a bolide. Most of them are stones no larger than a fist: they "
    "meet "
    "the air at twenty kilometres a second, and the air in front of them, pressed together, glows brighter than they "
    "do. "
    "In 2013 one of about 12,000 tonnes broke up over Chelyabinsk, at a height of 30 km; its light threw shadows in "
    "full "
    "day, and 88 seconds later the shock wave broke the windows of thousands of houses.\n\n"
    "    for (int i = 0; i < n; ++i) sum += x[i] * y[i];\n\n"
    "Wer nachts lange genug nach oben sieht, entdeckt bald eine Sternschnuppe. Ceux qui attendent en voient dix.\n";

Status test_vectors(const std::string& path) {
  const Result<u64> lines = replay_vectors(path);
  if (!lines) return lines.error();
  print_out(fmt::format("{}: {} test vectors, every bit agrees (subnormals kept and flushed)\n", path, *lines));
  return {};
}

Result<std::vector<u32>> test_tokens(const SelftestOptions& options, const engine::OpenModel& open) {
  if (!options.ids.empty()) return read_token_ids(options.ids, open.model.config.vocab_size);
  std::vector<u32> ids = {open.model.config.bos_token_id};
  const std::vector<u32> text = open.tokenizer.encode(kText, text::AddedTokens::kIgnore);
  ids.insert(ids.end(), text.begin(), text.end());
  return ids;
}

Result<std::vector<engine::Fingerprint>> fingerprints(const engine::OpenModel& open, std::span<const u32> ids,
                                                      std::span<const u64> at, u64 chunk, bool with_streams) {
  engine::Timeline timeline(open);
  std::vector<engine::Fingerprint> result;
  for (const u64 length : at) {
    Result<engine::Fingerprint> next = engine::advance_to(timeline, ids.first(length), chunk, with_streams);
    if (!next) return next.error();
    result.push_back(std::move(*next));
  }
  return result;
}

// State, logits and draft do not depend on how many tokens are computed together.
Status test_chunks(const engine::OpenModel& open, std::span<const u32> ids) {
  const std::vector<u64> at = {ids.size()};
  std::string whole;
  for (const u64 chunk : {u64{ids.size()}, u64{7}, u64{1}}) {
    const auto found = fingerprints(open, ids, at, chunk, true);
    if (!found) return found.error();
    const std::string json = format_fingerprints(*found);
    if (whole.empty()) whole = json;
    if (json != whole) {
      return Error{fmt::format("{} tokens at once and in chunks of {} give different bits:\n{}{}", ids.size(), chunk,
                               whole, json)};
    }
  }
  print_out(
      fmt::format("{}: {} tokens at once, in chunks of 7 and one by one give the same bits\n", open.path, ids.size()));
  return {};
}

Status test_manifest(const engine::OpenModel& open, std::span<const u32> ids, const std::string& path) {
  const Result<Manifest> manifest = read_manifest(path);
  if (!manifest) return manifest.error();
  if (manifest->lengths.back() > ids.size()) {
    return Error{fmt::format("{} has a fingerprint after {} tokens, but there are only {}; --ids names the tokens",
                             path, manifest->lengths.back(), ids.size())};
  }
  constexpr u64 kChunk = 64;
  const auto found = fingerprints(open, ids, manifest->lengths, kChunk, manifest->with_streams);
  if (!found) return found.error();
  if (Status status = compare(*manifest, *found); !status) return status;
  print_out(fmt::format("{}: {} fingerprints, every bit agrees\n", path, manifest->entries.size()));
  return {};
}

Status show_crest_factors(const engine::OpenModel& open, std::span<const u32> ids) {
  const Result<std::vector<MatrixInput>> inputs = measure_crest_factors(open, ids);
  if (!inputs) return inputs.error();
  TextTable table("lrrrr", {"input of", "blocks", "mean", "largest", fmt::format("above {}", kPeakedCrestFactor)});
  for (const auto& [kind, crest] : *inputs) {
    table.row({kind, grouped(crest.blocks), fmt::format("{:.2f}", crest.sum / static_cast<double>(crest.blocks)),
               fmt::format("{:.2f}", crest.largest), percentage(crest.peaked, crest.blocks)});
  }
  print_out(
      fmt::format("\nCrest factors (max / rms) of the blocks of 32 values that are rounded to int8, over {} tokens.\n"
                  "The largest possible is 5.66; above {} a value towers over its block, and FP8 would be finer for "
                  "the others.\n\n{}",
                  ids.size(), kPeakedCrestFactor, table.str()));
  return {};
}

Status test_model(const SelftestOptions& options) {
  const Result<std::string> path = resolve_model(options.model);
  if (!path) return path.error();
  const Result<std::unique_ptr<engine::OpenModel>> open = engine::open_model(*path, engine::ArithmeticKind::kA1);
  if (!open) return open.error();
  const Result<std::vector<u32>> ids = test_tokens(options, **open);
  if (!ids) return ids.error();
  if (ids->empty()) return Error{options.ids + ": the list is empty; at least one token is needed"};
  if (!options.manifest.empty()) {
    if (Status status = test_manifest(**open, *ids, options.manifest); !status) return status;
  }
  if (Status status = test_chunks(**open, *ids); !status) return status;
  return show_crest_factors(**open, *ids);
}

int selftest(const SelftestOptions& options) {
  Status status;
  if (!options.vectors.empty()) status = test_vectors(options.vectors);
  if (status && options.tests_model()) status = test_model(options);
  return status ? kGood : report_failure(status.error());
}

}  // namespace

void add_selftest(CLI::App& program, Action& action) {
  auto options = std::make_shared<SelftestOptions>();
  CLI::App* command = program.add_subcommand("selftest", "Prove this build's arithmetic on this machine, bit by bit");
  command->footer(
      "Exit code 0 only if every bit agrees; otherwise the first difference is named.\n"
      "With --vectors alone: the test vectors. Otherwise a model: tokens computed at once, in chunks of 7 and one by "
      "one\n"
      "must give the same bits, the fingerprints of --manifest are recomputed, and the crest factors of the matrices'\n"
      "inputs are shown.\n"
      "Example: bolide selftest --vectors tests/goldens/a1-vectors.jsonl\n"
      "         bolide selftest --manifest tests/goldens/nano/a1-short.json --ids tests/goldens/nano/short.json");
  command->add_option("--vectors", options->vectors, "Test vectors to replay (JSON lines)")->type_name("FILE");
  add_model_option(*command, options->model);
  add_backend_option(*command);
  CLI::Option* ids = add_ids_option(*command, options->ids);
  command->add_option("--manifest", options->manifest, "Fingerprints of --ids to be met, as `hash` prints them")
      ->needs(ids)
      ->type_name("FILE");
  command->callback([options, &action] { action = [options] { return selftest(*options); }; });
}

}  // namespace bolide::app
