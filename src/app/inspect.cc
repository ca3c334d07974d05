// `bolide inspect`: what a model file holds, what a decoded token reads of it, and the operations of a step.
#include <CLI/App.hpp>
#include <memory>

#include "app/command.h"
#include "app/engine_options.h"
#include "app/model_report.h"
#include "app/plan_report.h"
#include "app/standard_streams.h"
#include "plan/step_plan.h"

namespace bolide::app {
namespace {

struct InspectOptions {
  std::string model;
  bool tensors = false;
  bool json = false;
  bool plan = false;
  u32 rows = 1;
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

int inspect(const InspectOptions& options) {
  const Result<std::string> path = resolve_model(options.model);
  if (!path) return report_failure(path.error());
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
  command->footer("Reads headers only, so it is instant for a model of any size.\nExample: bolide inspect models/nano");
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
  command->callback([options, &action] { action = [options] { return inspect(*options); }; });
}

}  // namespace bolide::app
