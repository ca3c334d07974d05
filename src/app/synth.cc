// `bolide synth`: a model of seeded random weights.
#include "convert/synth.h"

#include <CLI/App.hpp>
#include <fmt/format.h>
#include <memory>

#include "app/command.h"
#include "app/engine_options.h"
#include "app/progress_bar.h"
#include "app/standard_streams.h"
#include "app/text_table.h"
#include "convert/file_names.h"
#include "convert/synth_checkpoint.h"

namespace bolide::app {
namespace {

struct SynthArguments {
  convert::SynthOptions options;
  std::string experts_type = "mxfp4";
  std::string to = "packed";
  std::string out;
  u32 n_threads = 0;
};

int synth(SynthArguments arguments) {
  arguments.options.experts_type =
      arguments.experts_type == "q4_k" ? formats::WeightType::kQ4_K : formats::WeightType::kMXFP4;
  const Result<convert::SynthPlan> plan = convert::plan_synth(arguments.options);
  if (!plan) return report_wrong_usage("synth", plan.error());
  ProgressBar bar("synth");
  const convert::SynthRun run{.n_threads = arguments.n_threads,
                              .progress = [&bar](u64 done, u64 total) { bar.show(done, total); }};
  if (arguments.to == "checkpoint") {
    const Status made = convert::synth_to_checkpoint(*plan, arguments.out, run);
    bar.finish();
    if (!made) return report_failure(made.error());
    print_out(fmt::format("Wrote the folder {}.\n", arguments.out));
    return kGood;
  }
  const Result<formats::PackedFile> file = convert::synth_to_files(*plan, arguments.out, run);
  bar.finish();
  if (!file) return report_failure(file.error());
  print_out(fmt::format("Wrote {}, {}.\n", arguments.out, readable_bytes(file->bytes().size())));
  print_out(fmt::format("Wrote {}, the Engram rows; keep it beside.\n", convert::engram_path(arguments.out)));
  return kGood;
}

}  // namespace

void add_synth(CLI::App& program, Action& action) {
  auto arguments = std::make_shared<SynthArguments>();
  convert::SynthOptions& options = arguments->options;
  CLI::App* command = program.add_subcommand("synth", "Make a model of random weights, to test and measure with");
  command->footer(
      "The same options give the same bits on every machine. What such a model says means nothing; its sizes, speeds\n"
      "and hashes do.\n"
      "Example: bolide synth --shape v4.1-flash --experts 8 flash.bolide && bolide run --model flash.bolide -n 8");
  command
      ->add_option(
          "OUT", arguments->out,
          fmt::format("File to write, by custom NAME{}; of a checkpoint the folder", convert::kPackedExtension))
      ->required();
  command->add_option("--shape", options.shape, "Sizes: ci, ci-wide, or those of the big model")
      ->check(CLI::IsMember({"ci", "ci-wide", "v4.1-flash"}))
      ->required();
  command->add_option("--seed", options.seed, "Where the random numbers start")
      ->check(whole_number_from(0))
      ->capture_default_str();
  command->add_option("--layers", options.layers, "Layers, at least 8; their roles follow the big model's pattern");
  command->add_option("--experts", options.experts, "Routed experts of each layer, at least 6");
  command->add_option("--draft-experts", options.draft_experts,
                      "Routed experts of each draft stage; 0: no drafter (which is the default for v4.1-flash)");
  command->add_option("--experts-type", arguments->experts_type, "How the experts are stored")
      ->check(CLI::IsMember({"mxfp4", "q4_k"}))
      ->capture_default_str();
  command->add_option("--engram-rows", options.engram_rows, "Rows of each Engram table, about");
  command->add_option("--to", arguments->to, "What OUT is to be; checkpoint: a folder in the official format")
      ->check(CLI::IsMember({"packed", "checkpoint"}))
      ->capture_default_str();
  command->add_option("--threads", arguments->n_threads, "Threads. Default: as many as the machine has")
      ->check(whole_number_from(1))
      ->type_name("N");
  command->callback([arguments, &action] { action = [arguments] { return synth(*arguments); }; });
}

}  // namespace bolide::app
