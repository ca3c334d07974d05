// `bolide eval`: perplexity of a text, and how far two arithmetics or two models differ on it.
#include <CLI/App.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include "app/command.h"
#include "app/comparison.h"
#include "app/engine_options.h"
#include "app/logits_pair.h"
#include "app/standard_streams.h"
#include "app/text_table.h"
#include "app/token_ids.h"
#include "base/mapped_file.h"

namespace bolide::app {
namespace {

struct EvalOptions {
  engine::EngineOptions engine;
  std::string second_model;
  std::optional<engine::ArithmeticKind> second_arithmetic;
  std::string text;
  std::string ids;
  bool json = false;

  bool compares() const { return !second_model.empty() || second_arithmetic; }
};

// One of the two that are compared, or the only one.
struct Side {
  std::string model;
  engine::ArithmeticKind arithmetic;
  Perplexity perplexity;
};

struct Evaluation {
  u64 tokens = 0;
  Side first;
  std::optional<Side> second;
  Comparison comparison;
};

Result<std::vector<u32>> read_tokens(const EvalOptions& options, const engine::Engine& engine) {
  constexpr u64 kLimitBytes = u64{256} << 20;
  if (options.text.empty()) return read_token_ids(options.ids, engine.config().vocab_size);
  const Result<std::string> text =
      options.text == "-" ? read_stdin(kLimitBytes) : read_text_file(options.text, kLimitBytes);
  if (!text) return text.error();
  std::vector<u32> ids = {engine.config().bos_token_id};
  const std::vector<u32> encoded = engine.tokenizer().encode(*text, text::AddedTokens::kIgnore);
  ids.insert(ids.end(), encoded.begin(), encoded.end());
  return ids;
}

Result<std::unique_ptr<engine::Engine>> open_second(const EvalOptions& options, const engine::Engine& first) {
  engine::EngineOptions second = options.engine;
  if (!options.second_model.empty()) second.model_path = options.second_model;
  if (options.second_arithmetic) second.arithmetic = *options.second_arithmetic;
  Result<std::unique_ptr<engine::Engine>> engine = open_engine(second);
  if (!engine || (*engine)->config().vocab_size == first.config().vocab_size) return engine;
  return Error{fmt::format("{} has {} tokens, but {} has {}; only models with the same tokenizer can be compared",
                           first.model_path(), first.config().vocab_size, (*engine)->model_path(),
                           (*engine)->config().vocab_size)};
}

Status evaluate_one(engine::Engine& engine, std::span<const u32> ids, Evaluation& result) {
  return engine.evaluate(ids, 0, [&](u64 position, std::span<const float> logits) {
    if (position + 1 < ids.size()) result.first.perplexity.add(logits, ids[position + 1]);
    return true;
  });
}

Status evaluate_both(engine::Engine& first, engine::Engine& second, std::span<const u32> ids, Evaluation& result) {
  return evaluate_pair(first, second, ids, [&](u64 position, std::span<const float> a, std::span<const float> b) {
    result.comparison.add(position, a, b);
    if (position + 1 == ids.size()) return;
    result.first.perplexity.add(a, ids[position + 1]);
    result.second->perplexity.add(b, ids[position + 1]);
  });
}

Result<Evaluation> evaluate(const EvalOptions& options) {
  const Result<std::unique_ptr<engine::Engine>> first = open_engine(options.engine);
  if (!first) return first.error();
  const Result<std::vector<u32>> ids = read_tokens(options, **first);
  if (!ids) return ids.error();
  if (ids->size() < 2) return Error{"at least two tokens are needed: each is predicted from those before it"};
  Evaluation result{ids->size(), {(*first)->model_path(), options.engine.arithmetic, {}}, std::nullopt, {}};
  if (!options.compares()) {
    if (Status status = evaluate_one(**first, *ids, result); !status) return status.error();
    return result;
  }
  const Result<std::unique_ptr<engine::Engine>> second = open_second(options, **first);
  if (!second) return second.error();
  result.second = Side{(*second)->model_path(), options.second_arithmetic.value_or(options.engine.arithmetic), {}};
  if (Status status = evaluate_both(**first, **second, *ids, result); !status) return status.error();
  return result;
}

std::string text_report(const Evaluation& result) {
  TextTable sides("llrr", {"model", "arithmetic", "mean NLL", "perplexity"});
  const auto add = [&sides](const Side& side) {
    sides.row({side.model, std::string(name(side.arithmetic)), fmt::format("{:.6f}", side.perplexity.mean_nll()),
               fmt::format("{:.4f}", side.perplexity.perplexity())});
  };
  add(result.first);
  if (result.second) add(*result.second);
  std::string text = fmt::format("{} tokens, {} of them predicted\n\n{}", grouped(result.tokens),
                                 grouped(result.first.perplexity.predictions()), sides.str());
  if (!result.second) return text;
  const Comparison& c = result.comparison;
  TextTable table("ll", {});
  table.row({"mean KL(first || second)", fmt::format("{:.3e} nats", c.mean_kl())});
  table.row({"max KL(first || second)", fmt::format("{:.3e} nats, at position {}", c.max_kl(), c.max_kl_position())});
  table.row({"same likeliest token", fmt::format("{} of {} positions, {}", grouped(c.agreeing()),
                                                 grouped(c.positions()), percentage(c.agreeing(), c.positions()))});
  table.row({fmt::format("the same where the first's margin is above {}", kClearMargin),
             fmt::format("{} of {} positions, {}", grouped(c.clear_agreeing()), grouped(c.clear()),
                         percentage(c.clear_agreeing(), c.clear()))});
  return text + "\n" + table.str();
}

boost::json::object json_side(const Side& side) {
  return {{"model", side.model},
          {"arithmetic", name(side.arithmetic)},
          {"mean_nll", side.perplexity.mean_nll()},
          {"perplexity", side.perplexity.perplexity()}};
}

std::string json_report(const Evaluation& result) {
  boost::json::object report{{"tokens", result.tokens},
                             {"predictions", result.first.perplexity.predictions()},
                             {"first", json_side(result.first)}};
  if (result.second) {
    const Comparison& c = result.comparison;
    report["second"] = json_side(*result.second);
    report["comparison"] =
        boost::json::object{{"positions", c.positions()},    {"mean_kl", c.mean_kl()},
                            {"max_kl", c.max_kl()},          {"max_kl_position", c.max_kl_position()},
                            {"top1_agreeing", c.agreeing()}, {"clear_margin", kClearMargin},
                            {"clear_positions", c.clear()},  {"clear_top1_agreeing", c.clear_agreeing()}};
  }
  return boost::json::serialize(report) + "\n";
}

int eval(const EvalOptions& options) {
  const Result<Evaluation> result = evaluate(options);
  if (!result) return report_failure(result.error());
  print_out(options.json ? json_report(*result) : text_report(*result));
  return kGood;
}

}  // namespace

void add_eval(CLI::App& program, Action& action) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App* command = program.add_subcommand("eval", "Measure how well a model predicts a text, or compare two");
  command->footer(
      "Perplexity is exp(mean NLL), NLL the negative log likelihood of a token in nats. With --model2 or --against, "
      "two\n"
      "computations of the same tokens are compared: KL(first || second) over the whole vocabulary, at every "
      "position.\n"
      "Example: bolide eval --text README.md --arithmetic plain --against a1");
  add_engine_options(*command, options->engine);
  CLI::Option* second_model =
      command->add_option("--model2", options->second_model, "A second model, computed in the same arithmetic")
          ->type_name("PATH");
  add_arithmetic_option(*command, "--against", "A second arithmetic for the same model",
                        [options](engine::ArithmeticKind kind) { options->second_arithmetic = kind; })
      ->excludes(second_model);
  CLI::Option_group* input = command->add_option_group("Input", "What is predicted");
  input
      ->add_option("--text", options->text,
                   "A text file, - for stdin; it gets a start token, control tokens in it are plain text")
      ->type_name("FILE");
  add_ids_option(*input, options->ids);
  input->require_option(1);
  command->add_flag("--json", options->json, "Print JSON for scripts");
  command->callback([options, &action] { action = [options] { return eval(*options); }; });
}

}  // namespace bolide::app
