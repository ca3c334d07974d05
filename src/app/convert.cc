// `bolide convert`: the official checkpoint, a packed file or a GGUF into a packed file or a GGUF.
#include <CLI/App.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <memory>

#include "app/command.h"
#include "app/progress_bar.h"
#include "app/standard_streams.h"
#include "app/stop_signals.h"
#include "app/text_table.h"
#include "convert/checkpoint_to_packed.h"
#include "convert/file_names.h"
#include "convert/gguf_to_packed.h"
#include "convert/journal.h"
#include "convert/to_gguf.h"
#include "engine/model_files.h"

namespace bolide::app {
namespace {

struct ConvertArguments {
  std::string in;
  std::string out;
  std::string to;           // "packed", "gguf", or nothing: what the name of `out` says
  std::string recipe;       // "exact", "mxfp4", or nothing: exact
  std::string draft_model;  // beside a GGUF
  std::string engram_from;
  bool no_draft = false;
  bool only_draft = false;
  bool consume = false;

  bool to_gguf() const { return to.empty() ? engine::is_gguf(out) : to == "gguf"; }
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

void print_report(const convert::ConvertReport& report) {
  print_out(class_table(report) + left_out(report.vision, "the vision tower") +
            left_out(report.omitted_draft, "the drafter") + small_block_table(report.small_blocks) + "\n");
}

void print_written(const std::string& path, u64 bytes, std::string_view what) {
  print_out(fmt::format("Wrote {}, {}{}.\n", path, readable_bytes(bytes), what));
}

convert::ConvertOptions convert_options(const ConvertArguments& arguments, ProgressBar& bar, const StopSignals& stop) {
  convert::ConvertOptions options;
  options.with_draft = !arguments.no_draft;
  options.with_trunk = !arguments.only_draft;
  options.consume = arguments.consume;
  options.engram_from = arguments.engram_from;
  options.progress = [&bar](u64 done, u64 total) { bar.show(done, total); };
  options.stop = &stop.came();
  return options;
}

// An earlier run with --consume may have removed shards.
Result<convert::CheckpointFolder> open_folder(const ConvertArguments& arguments) {
  if (arguments.only_draft) return convert::open_draft_folder(arguments.in);
  const Result<std::vector<formats::GoneShard>> gone = convert::consumed_shards(arguments.out);
  if (!gone) return gone.error();
  return convert::open_checkpoint_folder(arguments.in, *gone);
}

// A folder's checkpoint or a GGUF into packed weights; `source` is the open model.
template <class Source>
int pack(const Source& source, bool has_engram, const ConvertArguments& arguments) {
  ProgressBar bar("convert");
  const StopSignals stop;
  const convert::ConvertOptions options = convert_options(arguments, bar, stop);
  const Result<convert::PackedModel> packed = convert::convert_to_files(source, arguments.out, options);
  bar.finish();
  if (!packed) return report_failure(packed.error());
  print_report(packed->report);
  print_written(arguments.out, packed->weights.bytes().size(), arguments.only_draft ? ", the drafter" : "");
  if (has_engram && !arguments.engram_from.empty()) {
    print_out(fmt::format("Wrote {}, which says that the Engram rows are in {}; keep both.\n",
                          convert::engram_path(arguments.out), arguments.engram_from));
  } else if (has_engram && !arguments.only_draft) {
    print_out(fmt::format("Wrote {}, the Engram rows; keep it beside.\n", convert::engram_path(arguments.out)));
  }
  return kGood;
}

int convert_to_packed(const ConvertArguments& arguments) {
  if (engine::is_gguf(arguments.in)) {
    const Result<convert::GgufModel> model = convert::open_gguf_model(arguments.in, arguments.draft_model);
    if (!model) return report_failure(model.error());
    return pack(*model, !model->engram_rows.empty(), arguments);
  }
  const Result<convert::CheckpointFolder> folder = open_folder(arguments);
  if (!folder) return report_failure(folder.error());
  return pack(*folder, !folder->engram_tables.empty(), arguments);
}

// What a GGUF is to be written from: a folder is an official checkpoint, a file is packed.
Result<convert::GgufInput> open_gguf_input(const ConvertArguments& arguments) {
  std::error_code code;
  if (!std::filesystem::is_directory(arguments.in, code)) return convert::gguf_input(arguments.in);
  const Result<convert::CheckpointFolder> folder = open_folder(arguments);
  if (!folder) return folder.error();
  return convert::gguf_input(*folder);
}

int convert_to_gguf(const ConvertArguments& arguments) {
  const Result<convert::GgufInput> input = open_gguf_input(arguments);
  if (!input) return report_failure(input.error());
  const convert::GgufRecipe recipe =
      arguments.recipe == "mxfp4" ? convert::GgufRecipe::kMxfp4 : convert::GgufRecipe::kExact;
  ProgressBar bar("convert");
  const StopSignals stop;
  const convert::ConvertOptions options = convert_options(arguments, bar, stop);
  const Result<convert::GgufReport> result = convert::convert_to_gguf(*input, arguments.out, recipe, options);
  bar.finish();
  if (!result) return report_failure(result.error());
  print_report(result->report);
  if (result->target_bytes > 0) print_written(arguments.out, result->target_bytes, "");
  if (result->draft_bytes > 0) {
    print_written(arguments.only_draft ? arguments.out : convert::gguf_draft_path(arguments.out), result->draft_bytes,
                  ", the drafter");
  }
  return kGood;
}

// Whether the options make sense together; a text where they do not.
std::string contradiction(const ConvertArguments& arguments) {
  const bool from_gguf = engine::is_gguf(arguments.in);
  if (from_gguf && arguments.to_gguf())
    return "a GGUF is converted to a packed file only; from that a GGUF can be made";
  if (!from_gguf && !arguments.draft_model.empty()) return "--draft-model belongs to a GGUF as the source";
  std::error_code code;
  if (arguments.consume && !std::filesystem::is_directory(arguments.in, code)) {
    return "--consume belongs to the folder of an official checkpoint, whose shards can go one by one";
  }
  if (!arguments.engram_from.empty() && arguments.to_gguf()) {
    return "--engram-from belongs to a packed file as the output; a GGUF holds the Engram rows itself";
  }
  if (arguments.only_draft && !arguments.engram_from.empty()) return "a drafter has no Engram rows";
  if (arguments.only_draft && from_gguf) return "--only-draft takes an official checkpoint or a packed file";
  if (arguments.only_draft && arguments.no_draft) return "--only-draft and --no-draft leave nothing";
  if (arguments.only_draft && arguments.consume) return "--consume and --only-draft do not go together";
  if (!arguments.to_gguf() && !arguments.recipe.empty()) return "--recipe belongs to --to gguf";
  return "";
}

int convert_model(const ConvertArguments& arguments) {
  if (const std::string wrong = contradiction(arguments); !wrong.empty())
    return report_wrong_usage("convert", Error{wrong});
  std::error_code code;
  if (!std::filesystem::exists(arguments.in, code)) {
    return report_failure({arguments.in + ": there is no such file or folder"});
  }
  if (!engine::is_gguf(arguments.in) && !arguments.to_gguf() && !std::filesystem::is_directory(arguments.in, code)) {
    return report_failure({arguments.in +
                           ": is a file that needs no conversion, if it is a packed one; --to gguf makes a GGUF "
                           "of it (and a GGUF's name must end in .gguf)"});
  }
  return arguments.to_gguf() ? convert_to_gguf(arguments) : convert_to_packed(arguments);
}

}  // namespace

void add_convert(CLI::App& program, Action& action) {
  auto arguments = std::make_shared<ConvertArguments>();
  CLI::App* command =
      program.add_subcommand("convert", "Make a packed file of an official checkpoint or a GGUF, or a GGUF of them");
  command->footer(
      "The packed file is what the engine computes on; the rows of the Engram tables go to a file beside it. A GGUF\n"
      "holds both, in the form of ds4's files; the drafter gets a GGUF of its own, NAME-draft.gguf.\n"
      "A conversion that was interrupted, even by a power cut, goes on when the same command is repeated.\n"
      "Examples: bolide convert models/nano nano.bolide && bolide run --model nano.bolide\n"
      "          bolide convert model.gguf model.bolide --draft-model drafter.gguf\n"
      "          bolide convert model.bolide model.gguf --recipe mxfp4");
  command
      ->add_option("IN", arguments->in,
                   "Folder with config.json, tokenizer.json and safetensors files; or a GGUF; or a packed file")
      ->required();
  command
      ->add_option("OUT", arguments->out,
                   fmt::format("File to write, by custom NAME{}, the rows then go to NAME{}; or NAME{}",
                               convert::kPackedExtension, convert::kEngramExtension, convert::kGgufExtension))
      ->required();
  command->add_option("--to", arguments->to, "What OUT is to be. Default: gguf where its name ends so, else packed")
      ->check(CLI::IsMember({"packed", "gguf"}))
      ->type_name("packed|gguf");
  command
      ->add_option("--recipe", arguments->recipe,
                   "Types of a GGUF: exact (default), the packed ones; mxfp4, those of ds4's files with MXFP4 experts")
      ->check(CLI::IsMember({"exact", "mxfp4"}))
      ->type_name("exact|mxfp4");
  command->add_option("--draft-model", arguments->draft_model, "The drafter's file that belongs to the GGUF IN")
      ->type_name("FILE");
  command
      ->add_option("--engram-from", arguments->engram_from,
                   "Leave the Engram rows where they are, in this GGUF or .engram file: variants can share one")
      ->type_name("FILE");
  command->add_flag("--no-draft", arguments->no_draft, "Leave the drafter's tensors out");
  command->add_flag("--only-draft", arguments->only_draft,
                    "The drafter alone, for --draft-model; config.json and the three mtp shards are enough");
  command->add_flag("--consume", arguments->consume,
                    "Remove each shard of a checkpoint as soon as all of it is safely converted, for disks without "
                    "room for both; there is no way back but to get it again");
  command->callback([arguments, &action] { action = [arguments] { return convert_model(*arguments); }; });
}

}  // namespace bolide::app
