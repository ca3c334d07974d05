#include "convert/packing.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <thread>

#include "convert/file_names.h"
#include "convert/packed_specs.h"
#include "convert/parallel.h"
#include "convert/shared_rows.h"
#include "formats/engram_file.h"
#include "formats/engram_link.h"
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

ConvertReport report_of(const PackInput& input, const std::vector<TensorConversion>& done, bool with_engram) {
  ConvertReport report;
  for (std::size_t i = 0; i < input.tensors.size(); ++i) report_tensor(report, input.tensors[i], done[i]);
  if (!with_engram) return report;
  for (const EngramTableRows& table : input.engram_tables) add_engram_to_report(report, table.bytes());
  return report;
}

template <class T>
void add_number(Sha256& hash, const T& value) {
  hash.update(std::as_bytes(std::span(&value, 1)));
}

void add_text(Sha256& hash, std::string_view text) {
  add_number(hash, u64{text.size()});
  hash.update(text);
}

// Over everything that decides about the files.
Sha256Digest plan_of(const PackInput& input, const std::vector<formats::PackedSpec>& specs) {
  Sha256 hash;
  add_text(hash, "packed 1");
  for (const formats::PackedSpec& spec : specs) {
    add_text(hash, spec.name);
    add_text(hash, spec.tensor_class);
    add_number(hash, spec.shape.type);
    add_number(hash, spec.shape.form);
    for (const u64 number : {spec.shape.experts, spec.shape.rows, spec.shape.columns}) add_number(hash, number);
  }
  for (const std::string& text : {input.documents.config, input.documents.tokenizer, input.documents.engram}) {
    add_text(hash, text);
  }
  for (const EngramTableRows& table : input.engram_tables) {
    add_number(hash, table.layer);
    for (const u64 number : {table.rows, table.row_bytes()}) add_number(hash, number);
  }
  return hash.finish();
}

ConversionTask engram_task(const EngramTableRows& table, u32 number) {
  return {.key = {.output = 0, .tensor = number},
          .files = table.files(),
          .unit_bytes = table.row_bytes(),
          .convert = [&table](u64 first, const Append& append) -> Result<TensorConversion> {
            const Status done = append_engram_rows(table, first / table.row_bytes(), append);
            if (!done) return done.error();
            return TensorConversion{.bytes_in = table.bytes(), .small = {}};
          }};
}

ConversionTask tensor_task(const PackTask& task, u32 output, u32 number) {
  return {.key = {.output = output, .tensor = number},
          .files = task.files,
          .unit_bytes = 0,
          .convert = [&task](u64, const Append& append) { return task.convert(append); }};
}

template <class Writer>
Result<std::unique_ptr<formats::TensorWriter>> opened(Result<Writer> writer) {
  if (!writer) return writer.error();
  return std::unique_ptr<formats::TensorWriter>(std::make_unique<Writer>(*std::move(writer)));
}

Result<ConversionOutput> engram_output(const PackInput& input, const std::string& path) {
  std::vector<formats::EngramTableSpec> specs;
  for (const EngramTableRows& table : input.engram_tables)
    specs.push_back({table.layer, table.rows, table.row_bytes()});
  const Result<u64> bytes = formats::engram_file_bytes(specs);
  if (!bytes) return Error{fmt::format("{}: {}", path, bytes.error().message)};
  return ConversionOutput{.path = path, .bytes = *bytes, .open = [path, specs](formats::WriteMode mode) {
                            return opened(formats::EngramWriter::create(path, specs, mode));
                          }};
}

Result<ConversionOutput> weights_output(const PackInput& input, const std::string& path,
                                        const std::vector<formats::PackedSpec>& specs) {
  const Result<u64> bytes = packed_bytes(input);
  if (!bytes) return bytes.error();
  return ConversionOutput{.path = path, .bytes = *bytes, .open = [path, specs, &input](formats::WriteMode mode) {
                            return opened(PackedWriter::to_file(path, input.documents, specs, mode));
                          }};
}

}  // namespace

u32 thread_count(const ConvertOptions& options) {
  return options.n_threads > 0 ? options.n_threads : std::max(1U, std::thread::hardware_concurrency());
}

ConversionRun run_of(const ConvertOptions& options) {
  return {.n_threads = thread_count(options),
          .progress = options.progress,
          .sync_bytes = options.sync_bytes,
          .stop = options.stop};
}

Result<PackedModel> pack_to_files(const PackInput& whole_input, const std::string& path,
                                  const ConvertOptions& options) {
  PackInput input = whole_input;
  if (!options.engram_from.empty()) {
    const auto rows = find_shared_rows(options.engram_from, input.config, input.engram_tables);
    if (!rows) return rows.error();
    if (Status linked = formats::write_engram_link(engram_path(path), *rows); !linked) return linked.error();
    input.engram_tables.clear();
  }
  const std::vector<formats::PackedSpec> specs = specs_of(input);
  Conversion conversion{.plan = plan_of(input, specs), .sources = input.sources, .path = path};
  if (options.consume) conversion.consumed = input.consumable;
  const auto n_tables = static_cast<u32>(input.engram_tables.size());
  if (n_tables > 0) {  // the rows get their name first
    Result<ConversionOutput> rows = engram_output(input, engram_path(path));
    if (!rows) return rows.error();
    conversion.outputs.push_back(*std::move(rows));
  }
  const auto number = static_cast<u32>(conversion.outputs.size());
  Result<ConversionOutput> weights = weights_output(input, path, specs);
  if (!weights) return weights.error();
  conversion.outputs.push_back(*std::move(weights));
  // The tables come first: they are the longest pieces of work.
  for (u32 i = 0; i < n_tables; ++i) conversion.tasks.push_back(engram_task(input.engram_tables[i], i));
  for (u32 i = 0; i < input.tensors.size(); ++i) {
    conversion.tasks.push_back(tensor_task(input.tensors[i], number, i));
  }
  Result<std::vector<TensorConversion>> done = run_conversion(conversion, run_of(options));
  if (!done) return done.error();
  done->erase(done->begin(), done->begin() + n_tables);
  Result<formats::PackedFile> file = formats::PackedFile::open(path);
  if (!file) return file.error();
  return PackedModel{*std::move(file), report_of(input, *done, true)};
}

Result<PackedModel> pack_to_memory(const PackInput& input, const ConvertOptions& options) {
  Result<PackedWriter> weights = PackedWriter::to_memory(input.name, input.documents, specs_of(input));
  if (!weights) return weights.error();
  u64 total = 0;
  for (const PackTask& task : input.tensors) total += bytes_out(task.spec);
  ByteProgress progress(options.progress, total);
  std::vector<TensorConversion> done(input.tensors.size());
  const Status status = run_tasks(input.tensors.size(), thread_count(options), [&](u64 i) -> Status {
    Result<TensorConversion> result = input.tensors[i].convert([&](Bytes piece) {
      progress.add(piece.size());
      return weights->append(i, piece);
    });
    if (!result) return result.error();
    done[i] = *std::move(result);
    return {};
  });
  if (!status) return status.error();
  Result<formats::PackedFile> file = weights->finish();
  if (!file) return file.error();
  return PackedModel{*std::move(file), report_of(input, done, false)};
}

Result<u64> packed_bytes(const PackInput& input) {
  const Result<formats::PackedPlan> plan = formats::plan_packed_file(
      specs_of(input),
      {input.documents.config.size(), input.documents.tokenizer.size(), input.documents.engram.size()});
  if (!plan) return Error{fmt::format("{}: {}", input.name, plan.error().message)};
  return plan->file_bytes;
}

}  // namespace bolide::convert
