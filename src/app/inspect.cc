// `bolide inspect`: what a model file holds, and what a decoded token reads of it.
#include <CLI/App.hpp>
#include <memory>

#include "app/command.h"
#include "app/engine_options.h"
#include "app/model_report.h"
#include "app/standard_streams.h"

namespace bolide::app {
namespace {

struct InspectOptions {
  std::string model;
  bool tensors = false;
  bool json = false;
};

int inspect(const InspectOptions& options) {
  const Result<std::string> path = resolve_model(options.model);
  if (!path) return report_failure(path.error());
  const Result<ModelSummary> summary = summarize_model(*path);
  if (!summary) return report_failure(summary.error());
  print_out(options.json ? json_report(*summary, options.tensors) : text_report(*summary, options.tensors));
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
  command->add_flag("--tensors", options->tensors, "List every tensor");
  command->add_flag("--json", options->json, "Print JSON for scripts");
  command->callback([options, &action] { action = [options] { return inspect(*options); }; });
}

}  // namespace bolide::app
