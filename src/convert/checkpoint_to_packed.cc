#include "convert/checkpoint_to_packed.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <thread>

#include "convert/engram_conversion.h"
#include "convert/file_names.h"
#include "convert/packed_specs.h"
#include "convert/parallel.h"
#include "convert/tensor_conversion.h"
#include "formats/packed_writer.h"

namespace bolide::convert {
namespace {

using formats::PackedWriter;
using model::CheckpointFormat;
using model::TensorSpec;

std::string_view name(CheckpointFormat format) {
  switch (format) {
    case CheckpointFormat::kBf16:
      return "BF16";
    case CheckpointFormat::kF32:
      return "F32";
    case CheckpointFormat::kFp8:
      return "FP8";
    case CheckpointFormat::kFp4:
      return "FP4";
  }
  return "";
}

// The tensors that the packed file shall hold.
std::vector<TensorSpec> wanted_specs(const model::Config& config, const ConvertOptions& options) {
  std::vector<TensorSpec> specs = model::tensor_specs(config);
  if (!options.with_draft) std::erase_if(specs, [](const TensorSpec& spec) { return spec.draft; });
  return specs;
}

u64 bytes_out(const TensorSpec& spec) {
  const Result<formats::PlaneBytes> planes = formats::plane_bytes(spec.packed);
  check(planes.ok(), "shapes come from a validated configuration");
  return spec.packed.experts * (planes->codes + planes->scales);
}

// Counts what is done and tells it, one thread at a time.
class Progress {
 public:
  Progress(const ConvertOptions& options, u64 total) : tell_(options.progress), total_(total) {}

  void add(u64 bytes) {
    if (!tell_) return;
    const std::lock_guard lock(mutex_);
    done_ += bytes;
    tell_(done_, total_);
  }

 private:
  const std::function<void(u64, u64)>& tell_;
  const u64 total_;
  std::mutex mutex_;
  u64 done_ = 0;  // guarded by mutex_
};

u32 thread_count(const ConvertOptions& options) {
  return options.n_threads > 0 ? options.n_threads : std::max(1U, std::thread::hardware_concurrency());
}

// Adds one tensor to the line of its class and types.
void add_to_report(ConvertReport& report, const ClassReport& tensor) {
  const auto line = std::ranges::find_if(report.classes, [&](const ClassReport& other) {
    return other.tensor_class == tensor.tensor_class && other.from == tensor.from && other.to == tensor.to;
  });
  if (line == report.classes.end()) {
    report.classes.push_back(tensor);
    return;
  }
  line->tensors += tensor.tensors;
  line->bytes_in += tensor.bytes_in;
  line->bytes_out += tensor.bytes_out;
}

void report_tensor(ConvertReport& report, const TensorSpec& spec, const TensorConversion& done) {
  add_to_report(report, {.tensor_class = std::string(model::name(spec.tensor_class)),
                         .from = std::string(name(spec.checkpoint)),
                         .to = std::string(formats::name(spec.packed.type)),
                         .tensors = spec.packed.experts,
                         .bytes_in = done.bytes_in,
                         .bytes_out = bytes_out(spec)});
  if (done.small.blocks > 0) report.small_blocks.push_back({spec.name, done.small});
}

void report_engram(ConvertReport& report, const EngramConversion& engram) {
  for (std::size_t i = 0; i < engram.n_tables(); ++i) {
    add_to_report(report, {.tensor_class = "Engram rows",
                           .from = "FP8",
                           .to = "FP8",
                           .tensors = 1,
                           .bytes_in = engram.table_bytes(i),
                           .bytes_out = engram.table_bytes(i)});
  }
}

void report_omitted_draft(ConvertReport& report, const CheckpointFolder& folder) {
  for (const formats::Tensor& tensor : folder.checkpoint->tensors()) {
    if (!tensor.name.starts_with("mtp.")) continue;
    ++report.omitted_draft.count;
    report.omitted_draft.bytes += tensor.data.size();
  }
}

// Converts all tensors into `weights` and all tables into `engram`, where there is one.
Result<ConvertReport> convert_all(const CheckpointFolder& folder, const ConvertOptions& options,
                                  const std::vector<TensorSpec>& specs, PackedWriter& weights,
                                  std::optional<EngramConversion>& engram) {
  const u64 n_tables = engram ? engram->n_tables() : 0;
  u64 total = 0;
  for (const TensorSpec& spec : specs) total += bytes_out(spec);
  for (u64 i = 0; i < n_tables; ++i) total += engram->table_bytes(i);
  Progress progress(options, total);

  std::vector<TensorConversion> done(specs.size());
  const auto convert_one = [&](u64 i) -> Status {
    Result<TensorConversion> result = convert_tensor(specs[i], *folder.checkpoint, [&](Bytes piece) {
      progress.add(piece.size());
      return weights.append(i, piece);
    });
    if (!result) return result.error();
    done[i] = *std::move(result);
    return {};
  };
  // The tables come first: they are the longest pieces of work.
  const Status status = run_tasks(n_tables + specs.size(), thread_count(options), [&](u64 task) {
    if (task >= n_tables) return convert_one(task - n_tables);
    return engram->convert(task, [&](u64 bytes) { progress.add(bytes); });
  });
  if (!status) return status.error();

  ConvertReport report;
  for (std::size_t i = 0; i < specs.size(); ++i) report_tensor(report, specs[i], done[i]);
  if (engram) report_engram(report, *engram);
  if (!options.with_draft) report_omitted_draft(report, folder);
  report.vision = folder.skipped;
  return report;
}

Result<PackedModel> finish(PackedWriter& weights, ConvertReport report) {
  Result<formats::PackedFile> file = weights.finish();
  if (!file) return file.error();
  return PackedModel{*std::move(file), std::move(report)};
}

// Each file checked its own size when it was made, but neither knows of the other, and neither has taken its room yet.
Status check_free_space(const std::string& path, const PackedWriter& weights, const EngramConversion& engram) {
  u64 wanted = weights.size_bytes();
  for (std::size_t i = 0; i < engram.n_tables(); ++i) wanted += engram.table_bytes(i);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const Result<u64> free = free_space_bytes(folder.empty() ? "." : folder);
  if (!free) return free.error();
  if (wanted <= *free) return {};
  return Error{fmt::format(
      "{}: weights and Engram rows need {} bytes, but only {} are free on this disk; free {} bytes or choose another "
      "place",
      path, wanted, *free, wanted - *free)};
}

}  // namespace

Result<PackedModel> convert_to_files(const CheckpointFolder& folder, const std::string& path,
                                     const ConvertOptions& options) {
  const std::vector<TensorSpec> specs = wanted_specs(folder.config, options);
  Result<PackedWriter> weights = PackedWriter::to_file(path, folder.documents, packed_specs(specs));
  if (!weights) return weights.error();
  std::optional<EngramConversion> engram;
  if (!folder.engram_tables.empty()) {
    Result<EngramConversion> conversion =
        EngramConversion::create(engram_path(path), folder.config.engram, folder.checkpoint);
    if (!conversion) return conversion.error();
    engram.emplace(*std::move(conversion));
    if (Status room = check_free_space(path, *weights, *engram); !room) return room.error();
  }
  Result<ConvertReport> report = convert_all(folder, options, specs, *weights, engram);
  if (!report) return report.error();
  if (engram) {
    if (Status finished = engram->finish(); !finished) return finished.error();
  }
  return finish(*weights, *std::move(report));
}

Result<PackedModel> convert_to_memory(const CheckpointFolder& folder, const ConvertOptions& options) {
  const std::vector<TensorSpec> specs = wanted_specs(folder.config, options);
  Result<PackedWriter> weights = PackedWriter::to_memory(folder.path, folder.documents, packed_specs(specs));
  if (!weights) return weights.error();
  std::optional<EngramConversion> no_engram;
  Result<ConvertReport> report = convert_all(folder, options, specs, *weights, no_engram);
  if (!report) return report.error();
  return finish(*weights, *std::move(report));
}

}  // namespace bolide::convert
