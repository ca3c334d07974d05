// `bolide convert`: the official checkpoint into a packed file.
#include <CLI/App.hpp>
#include <fmt/format.h>
#include <memory>

#include "app/command.h"
#include "app/progress_bar.h"
#include "app/standard_streams.h"
#include "app/text_table.h"
#include "convert/checkpoint_to_packed.h"
#include "convert/file_names.h"

namespace bolide::app {
namespace {

struct ConvertArguments {
  std::string in;
  std::string out;
  bool no_draft = false;
};

// What each class of tensors became.
std::string class_table(const convert::ConvertReport& report) {
  TextTable table("lllrrr", {"class", "from", "to", "tensors", "bytes before", "bytes after"});
  u64 tensors = 0, bytes_in = 0, bytes_out = 0;
  for (const convert::ClassReport& line : report.classes) {
    table.row({line.tensor_class, line.from, line.to, grouped(line.tensors), grouped(line.bytes_in),
               grouped(line.bytes_out)});
    tensors += line.tensors;
    bytes_in += line.bytes_in;
    bytes_out += line.bytes_out;
  }
  table.rule();
  table.row({"total", "", "", grouped(tensors), grouped(bytes_in), grouped(bytes_out)});
  return table.str();
}

std::string left_out(const model::SkippedTensors& tensors, std::string_view what) {
  if (tensors.count == 0) return "";
  return fmt::format("  Left out: {} tensors of {}, {} bytes.\n", grouped(tensors.count), what, grouped(tensors.bytes));
}

// The tensors with blocks so small that the F16 scale of Q8_0 is coarse for them.
std::string small_block_table(const std::vector<convert::SmallBlockReport>& reports) {
  if (reports.empty()) return "  Q8_0 held every block well: none has a largest weight below 1e-3.\n";
  TextTable table("lrrrr", {"tensor", "small blocks", "of them zeroed", "largest loss", "loss / weight"});
  for (const auto& [tensor, small] : reports) {
    table.row({tensor, grouped(small.blocks), grouped(small.zeroed), fmt::format("{:.2e}", small.largest_loss),
               fmt::format("{:.2e}", small.total_weights > 0 ? small.total_loss / small.total_weights : 0.0)});
  }
  return "\n  Blocks with a largest weight below 1e-3, for which the F16 scale of Q8_0 is coarse:\n\n" + table.str();
}

int convert_checkpoint(const ConvertArguments& arguments) {
  const Result<convert::CheckpointFolder> folder = convert::open_checkpoint_folder(arguments.in);
  if (!folder) return report_failure(folder.error());
  ProgressBar bar("convert");
  convert::ConvertOptions options;
  options.with_draft = !arguments.no_draft;
  options.progress = [&bar](u64 done, u64 total) { bar.show(done, total); };
  const Result<convert::PackedModel> packed = convert::convert_to_files(*folder, arguments.out, options);
  bar.finish();
  if (!packed) return report_failure(packed.error());
  const convert::ConvertReport& report = packed->report;
  print_out(class_table(report) + left_out(report.vision, "the vision tower") +
            left_out(report.omitted_draft, "the drafter") + small_block_table(report.small_blocks) + "\n");
  print_out(fmt::format("Wrote {}, {}.\n", arguments.out, readable_bytes(packed->weights.bytes().size())));
  if (!folder->engram_tables.empty())
    print_out(fmt::format("Wrote {}, the Engram rows; keep it beside.\n", convert::engram_path(arguments.out)));
  return kGood;
}

}  // namespace

void add_convert(CLI::App& program, Action& action) {
  auto arguments = std::make_shared<ConvertArguments>();
  CLI::App* command = program.add_subcommand("convert", "Make a packed file of an official checkpoint");
  command->footer(
      "The packed file is what the engine computes on; the rows of the Engram tables go to a file beside it.\n"
      "Example: bolide convert models/nano nano.bolide && bolide run --model nano.bolide");
  command->add_option("IN", arguments->in, "Folder with config.json, tokenizer.json and safetensors files")->required();
  command
      ->add_option("OUT", arguments->out,
                   fmt::format("File to write, by custom NAME{}; the rows go to NAME{}", convert::kPackedExtension,
                               convert::kEngramExtension))
      ->required();
  command->add_flag("--no-draft", arguments->no_draft, "Leave the drafter's tensors out");
  command->callback([arguments, &action] { action = [arguments] { return convert_checkpoint(*arguments); }; });
}

}  // namespace bolide::app
