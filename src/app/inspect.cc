// `bolide inspect`: what a model file holds, what a decoded token reads of it, and the operations of a step.
#include <CLI/App.hpp>
#include <fmt/format.h>
#include <memory>

#include "app/command.h"
#include "app/engine_options.h"
#include "app/model_report.h"
#include "app/plan_report.h"
#include "app/standard_streams.h"
#include "convert/rows_of.h"
#include "engine/model_files.h"
#include "formats/packed_file.h"
#include "plan/step_plan.h"

namespace bolide::app {
namespace {

struct InspectOptions {
  std::string model;
  bool tensors = false;
  bool json = false;
  bool plan = false;
  u32 rows = 1;
  bool verify = false;
};

// Of the routed experts, as they are stored.
formats::WeightType experts_type(const ModelSummary& summary) {
  for (const StoredTensor& tensor : summary.tensors) {
    if (tensor.spec.tensor_class == model::TensorClass::kRoutedExperts && tensor.type == "Q4_K")
      return formats::WeightType::kQ4_K;
  }
  return formats::WeightType::kMXFP4;
}

std::string report(const InspectOptions& options, const ModelSummary& summary) {
  if (!options.plan)
    return options.json ? json_report(summary, options.tensors) : text_report(summary, options.tensors);
  const ops::Plan plan =
      plan::step_plan(summary.config, {.rows = options.rows, .logits_rows = options.rows}, experts_type(summary));
  return options.json ? json_plan(plan) : text_plan(plan);
}

// Reads a packed file and its rows, and compares them with the hashes that they were written with.
int verify(const std::string& model) {
  const Result<std::optional<std::string>> path = engine::find_packed_file(model);
  if (!path) return report_failure(path.error());
  if (!*path || engine::is_gguf(**path)) {
    return report_failure({model + ": only packed files hold hashes of their contents; convert it to have them"});
  }
  const Result<formats::PackedFile> file = formats::PackedFile::open(**path);
  if (!file) return report_failure(file.error());
  if (Status good = file->verify_contents(); !good) return report_failure(good.error());
  print_out(fmt::format("{}: {} tensors have the hashes that the file names.\n", **path, file->tensors().size()));
  if (file->engram_json().empty()) return kGood;
  const Result<formats::EngramFile> rows = convert::open_rows_of(**path);
  if (!rows) return report_failure(rows.error());
  if (rows->tables[0].digest == Sha256Digest{}) {
    print_out(fmt::format("{}: holds the Engram rows, without a hash to compare them with.\n", rows->path));
    return kGood;
  }
  if (Status good = formats::verify_contents(*rows); !good) return report_failure(good.error());
  print_out(
      fmt::format("{}: {} Engram tables have the hashes that the file names.\n", rows->path, rows->tables.size()));
  return kGood;
}

int inspect(const InspectOptions& options) {
  const Result<std::string> path = resolve_model(options.model);
  if (!path) return report_failure(path.error());
  if (options.verify) return verify(*path);
  const Result<ModelSummary> summary = summarize_model(*path);
  if (!summary) return report_failure(summary.error());
  print_out(report(options, *summary));
  return kGood;
}

}  // namespace

void add_inspect(CLI::App& program, Action& action) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* command = program.add_subcommand(
      "inspect", "Show a model's configuration, tensors and sizes, and what one decoded token reads");
  command->footer(
      "Reads headers only (but for --verify), so it is instant for a model of any size.\nExample: bolide inspect "
      "models/nano");
  command
      ->add_option("model", options->model,
                   "A packed file, a GGUF, or a folder with a packed file or with the official checkpoint. Default: "
                   "$BOLIDE_MODEL, then models/nano")
      ->type_name("PATH");
  CLI::Option* tensors = command->add_flag("--tensors", options->tensors, "List every tensor");
  CLI::Option* plan = command->add_flag("--plan", options->plan,
                                        "Show the operations of one step instead, with what each reads and computes");
  plan->excludes(tensors);
  command->add_option("--rows", options->rows, "Rows of the step that --plan shows: 1 is a decoded token")
      ->check(CLI::Range(1, 65536))
      ->needs(plan);
  command->add_flag("--json", options->json, "Print JSON for scripts");
  command->add_flag("--verify", options->verify,
                    "Read all of a packed file and its Engram rows and compare them with the hashes they hold");
  command->callback([options, &action] { action = [options] { return inspect(*options); }; });
}

}  // namespace bolide::app
