#include "convert/packing.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <thread>

#include "convert/engram_conversion.h"
#include "convert/file_names.h"
#include "convert/free_room.h"
#include "convert/packed_specs.h"
#include "convert/parallel.h"
#include "formats/packed_plan.h"
#include "formats/packed_writer.h"

namespace bolide::convert {
namespace {

using formats::PackedWriter;
using model::TensorSpec;

std::vector<formats::PackedSpec> specs_of(const PackInput& input) {
  std::vector<TensorSpec> specs;
  specs.reserve(input.tensors.size());
  for (const PackTask& task : input.tensors) specs.push_back(task.spec);
  return packed_specs(specs);
}

u64 bytes_out(const TensorSpec& spec) {
  const Result<formats::PlaneBytes> planes = formats::plane_bytes(spec.packed);
  check(planes.ok(), "the writer has planned these shapes");
  return spec.packed.experts * (planes->codes + planes->scales);
}

void report_tensor(ConvertReport& report, const PackTask& task, const TensorConversion& done) {
  add_to_report(report, {.tensor_class = std::string(model::name(task.spec.tensor_class)),
                         .from = task.from,
                         .to = std::string(formats::name(task.spec.packed.type)),
                         .tensors = task.spec.packed.experts,
                         .bytes_in = done.bytes_in,
                         .bytes_out = bytes_out(task.spec)});
  if (done.small.blocks > 0) report.small_blocks.push_back({task.spec.name, done.small});
}

// Converts all tensors into `weights` and all tables into `engram`, where there is one.
Result<ConvertReport> convert_all(const PackInput& input, const ConvertOptions& options, PackedWriter& weights,
                                  std::optional<EngramConversion>& engram) {
  const std::vector<PackTask>& tasks = input.tensors;
  const u64 n_tables = engram ? engram->n_tables() : 0;
  u64 total = 0;
  for (const PackTask& task : tasks) total += bytes_out(task.spec);
  for (u64 i = 0; i < n_tables; ++i) total += engram->table_bytes(i);
  ByteProgress progress(options.progress, total);

  std::vector<TensorConversion> done(tasks.size());
  const auto convert_one = [&](u64 i) -> Status {
    Result<TensorConversion> result = tasks[i].convert([&](Bytes piece) {
      progress.add(piece.size());
      return weights.append(i, piece);
    });
    if (!result) return result.error();
    done[i] = *std::move(result);
    return {};
  };
  // The tables come first: they are the longest pieces of work.
  const Status status = run_tasks(n_tables + tasks.size(), thread_count(options), [&](u64 task) {
    if (task >= n_tables) return convert_one(task - n_tables);
    return engram->convert(task, [&](u64 bytes) { progress.add(bytes); });
  });
  if (!status) return status.error();

  ConvertReport report;
  for (std::size_t i = 0; i < tasks.size(); ++i) report_tensor(report, tasks[i], done[i]);
  for (u64 i = 0; i < n_tables; ++i) add_engram_to_report(report, engram->table_bytes(i));
  return report;
}

Result<PackedModel> finish(PackedWriter& weights, ConvertReport report) {
  Result<formats::PackedFile> file = weights.finish();
  if (!file) return file.error();
  return PackedModel{*std::move(file), std::move(report)};
}

}  // namespace

u32 thread_count(const ConvertOptions& options) {
  return options.n_threads > 0 ? options.n_threads : std::max(1U, std::thread::hardware_concurrency());
}

Result<PackedModel> pack_to_files(const PackInput& input, const std::string& path, const ConvertOptions& options) {
  Result<PackedWriter> weights = PackedWriter::to_file(path, input.documents, specs_of(input));
  if (!weights) return weights.error();
  std::optional<EngramConversion> engram;
  if (!input.engram_tables.empty()) {
    Result<EngramConversion> conversion = EngramConversion::create(engram_path(path), input.engram_tables);
    if (!conversion) return conversion.error();
    engram.emplace(*std::move(conversion));
    u64 bytes = weights->size_bytes();
    for (std::size_t i = 0; i < engram->n_tables(); ++i) bytes += engram->table_bytes(i);
    if (Status room = check_room(path, bytes); !room) return room.error();
  }
  Result<ConvertReport> report = convert_all(input, options, *weights, engram);
  if (!report) return report.error();
  if (engram) {
    if (Status finished = engram->finish(); !finished) return finished.error();
  }
  return finish(*weights, *std::move(report));
}

Result<PackedModel> pack_to_memory(const PackInput& input, const ConvertOptions& options) {
  Result<PackedWriter> weights = PackedWriter::to_memory(input.name, input.documents, specs_of(input));
  if (!weights) return weights.error();
  std::optional<EngramConversion> no_engram;
  Result<ConvertReport> report = convert_all(input, options, *weights, no_engram);
  if (!report) return report.error();
  return finish(*weights, *std::move(report));
}

Result<u64> packed_bytes(const PackInput& input) {
  const Result<formats::PackedPlan> plan = formats::plan_packed_file(
      specs_of(input),
      {input.documents.config.size(), input.documents.tokenizer.size(), input.documents.engram.size()});
  if (!plan) return Error{fmt::format("{}: {}", input.name, plan.error().message)};
  return plan->file_bytes;
}

}  // namespace bolide::convert
