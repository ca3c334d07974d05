#include "convert/to_gguf.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "base/mapped_file.h"
#include "convert/checkpoint_to_packed.h"
#include "convert/file_names.h"
#include "convert/float_rows.h"
#include "convert/rows_of.h"
#include "engram/table_sources.h"
#include "formats/gguf_writer.h"
#include "model/engram_shape.h"
#include "model/gguf_config.h"
#include "model/gguf_engram.h"
#include "model/gguf_names.h"
#include "model/gguf_tokenizer.h"
#include "model/packed_weights.h"

namespace bolide::convert {
namespace {

using formats::GgufMetadata;
using formats::GgufTensorSpec;
using formats::GgufType;
using formats::GgufWriter;
using formats::kTileRows;
using formats::WeightType;
using model::TensorSpec;

constexpr u64 kRowsAtOnce = 32 * kTileRows;  // keeps pieces large enough for few writes

std::string_view name(GgufRecipe recipe) {
  return recipe == GgufRecipe::kExact ? "exact" : "mxfp4";
}

// One tensor and its place in the output.
struct Job {
  const GgufInput::Tensor* tensor;
  GgufType type;
};

// The type that the recipe gives the tensor.
Result<GgufType> type_of(const TensorSpec& spec, GgufRecipe recipe) {
  const GgufType packed = formats::gguf_type(spec.packed.type);
  if (recipe == GgufRecipe::kExact) return packed;
  const GgufType wanted = model::gguf_mxfp4_type(spec);
  if (wanted == packed || spec.packed.type != WeightType::kQ4_K) return wanted;
  return Error{
      fmt::format("tensor {} is Q4_K, which cannot become {} again; --recipe exact keeps it as it is, or start "
                  "from the official checkpoint",
                  spec.name, formats::name(wanted))};
}

GgufTensorSpec tensor_spec(const TensorSpec& spec, GgufType type) {
  GgufTensorSpec gguf{.name = model::gguf_name(spec), .type = type, .dimensions = {spec.packed.columns}};
  if (spec.dimensions > 1) gguf.dimensions.push_back(spec.packed.rows);
  if (spec.stacked()) gguf.dimensions.push_back(spec.packed.experts);
  return gguf;
}

// Rows of a quantized type, from tiles of the same type. `tile_of(tile)` gives the packed tiles of one expert.
template <class TileOf>
Status append_tiles(WeightType type, u64 rows, u64 columns, const Append& append, TileOf tile_of) {
  const u64 row_bytes = formats::row_bytes(formats::gguf_type(type), columns);
  std::vector<std::byte> piece(std::min(kRowsAtOnce, rows) * row_bytes);
  for (u64 first = 0; first < rows; first += kRowsAtOnce) {
    const u64 n = std::min(kRowsAtOnce, rows - first);
    for (u64 row = first; row < first + n; row += kTileRows) {
      const Result<PackedTile> tile = tile_of(row / kTileRows);
      if (!tile) return tile.error();
      const u64 in_tile = std::min(kTileRows, rows - row);
      fill_gguf_rows(type, *tile, columns, std::span(piece).subspan((row - first) * row_bytes, in_tile * row_bytes));
    }
    if (Status appended = append(Bytes(piece).first(n * row_bytes)); !appended) return appended;
  }
  return {};
}

Status append_quantized(TensorReader& reader, const Append& append, SmallBlocks& small) {
  const formats::PackedShape& shape = reader.spec().packed;
  for (u64 expert = 0; expert < shape.experts; ++expert) {
    const Status done = append_tiles(shape.type, shape.rows, shape.columns, append,
                                     [&](u64 tile) { return reader.tile(expert, tile, small); });
    if (!done) return done;
  }
  return {};
}

// Rows of floats as Q8_0.
Status append_requantized(TensorReader& reader, const Append& append, SmallBlocks& small) {
  const auto [rows, columns] = std::pair(reader.spec().packed.rows, reader.spec().packed.columns);
  std::vector<float> values(kTileRows * columns);
  std::vector<std::byte> codes(tile_bytes(WeightType::kQ8_0, Plane::kCodes, columns));
  std::vector<std::byte> scales(tile_bytes(WeightType::kQ8_0, Plane::kScales, columns));
  return append_tiles(WeightType::kQ8_0, rows, columns, append, [&](u64 tile) -> Result<PackedTile> {
    const u64 n = std::min(kTileRows, rows - tile * kTileRows);
    for (u64 i = 0; i < n; ++i) {
      if (Status read = reader.row(tile * kTileRows + i, std::span(values).subspan(i * columns, columns)); !read) {
        return read.error();
      }
    }
    const MatrixRows matrix{.type = MatrixRows::Type::kF32,
                            .codes = std::as_bytes(std::span(values)),
                            .scales = {},
                            .first_row = tile * kTileRows,
                            .rows = n,
                            .columns = columns};
    if (Status filled = fill_q8_0_tile(matrix, codes, scales, small); !filled) return filled.error();
    return PackedTile{.codes = codes, .scales = scales, .block_scales = {}};
  });
}

Status append_floats(TensorReader& reader, WeightType type, const Append& append) {
  const auto [rows, columns] = std::pair(reader.spec().packed.rows, reader.spec().packed.columns);
  const u64 row_bytes = formats::row_bytes(formats::gguf_type(type), columns);
  std::vector<float> values(columns);
  std::vector<std::byte> piece(std::min(kTileRows, rows) * row_bytes);
  for (u64 first = 0; first < rows; first += kTileRows) {
    const u64 n = std::min(kTileRows, rows - first);
    for (u64 i = 0; i < n; ++i) {
      if (Status read = reader.row(first + i, values); !read) return read;
      if (encode_row(type, values, std::span(piece).subspan(i * row_bytes, row_bytes))) continue;
      return Error{fmt::format("row {} holds a weight that is too large for {}; --recipe exact has no such limit",
                               first + i, formats::name(type))};
    }
    if (Status appended = append(Bytes(piece).first(n * row_bytes)); !appended) return appended;
  }
  return {};
}

Status append_tensor(const Job& job, const Append& append, SmallBlocks& small) {
  const std::unique_ptr<TensorReader> reader = job.tensor->open();
  const std::optional<WeightType> type = formats::weight_type(job.type);
  check(type.has_value(), "weights have types of weights");
  const TensorSpec& spec = job.tensor->spec;
  Status status;
  if (!formats::is_quantized(*type)) {
    status = append_floats(*reader, *type, append);
  } else if (*type == spec.packed.type) {
    status = append_quantized(*reader, append, small);
  } else {
    check(*type == WeightType::kQ8_0, "recipes quantize floats to Q8_0 only");
    status = append_requantized(*reader, append, small);
  }
  return status ? status : Status(Error{fmt::format("tensor {}: {}", spec.name, status.error().message)});
}

// One of the two files, while it is written.
struct Output {
  std::vector<Job> jobs;
  std::vector<const EngramTableRows*> tables;
  std::vector<GgufTensorSpec> tensors;  // of the jobs, then of the tables
};

// The file of the target or of the drafter.
Result<Output> plan_output(const GgufInput& input, GgufRecipe recipe, bool draft) {
  std::vector<TensorSpec> specs;
  for (const GgufInput::Tensor& tensor : input.tensors) {
    if (tensor.spec.draft == draft) specs.push_back(tensor.spec);
  }
  Output output;
  for (const TensorSpec& spec : model::in_gguf_order(std::move(specs))) {
    const Result<GgufType> type = type_of(spec, recipe);
    if (!type) return type.error();
    const auto tensor = std::ranges::find_if(input.tensors, [&](const auto& t) { return t.spec.name == spec.name; });
    output.jobs.push_back({&*tensor, *type});
    output.tensors.push_back(tensor_spec(spec, *type));
  }
  if (draft) return output;
  for (const EngramTableRows& table : input.engram_tables) {
    output.tables.push_back(&table);
    output.tensors.push_back({.name = model::gguf_engram_name(table.layer),
                              .type = GgufType::kI8,
                              .dimensions = {table.row_bytes(), table.rows}});
  }
  return output;
}

GgufMetadata general_metadata(std::string_view architecture, std::string_view title) {
  GgufMetadata metadata;
  metadata.add_text("general.architecture", architecture);
  metadata.add_text("general.name", title);
  return metadata;
}

Result<GgufMetadata> target_metadata(const GgufInput& input, GgufRecipe recipe) {
  GgufMetadata metadata = general_metadata("deepseek41", "DeepSeek V4.1 Flash");
  metadata.add_text("deepseek41.quantization", name(recipe));
  metadata.add_text("deepseek41.config", input.documents.config);
  model::add_config_keys(input.config, metadata);
  if (!input.engram_tables.empty()) model::add_engram_keys(input.config.engram, input.engram, metadata);
  if (Status added = model::add_tokenizer_keys(input.config, input.documents.tokenizer, metadata); !added) {
    return Error{fmt::format("{}: {}", input.name, added.error().message)};
  }
  return metadata;
}

GgufMetadata draft_metadata(const GgufInput& input, GgufRecipe recipe) {
  GgufMetadata metadata = general_metadata("deepseek41-dspark", "DeepSeek V4.1 Flash DSpark");
  metadata.add_text("deepseek41.dspark.quantization", name(recipe));
  model::add_draft_keys(input.config, metadata);
  return metadata;
}

// The tasks of one of the files; the tables come first: they are the longest pieces of work.
void add_tasks(Conversion& conversion, u32 number, const Output& output) {
  const auto n_jobs = static_cast<u32>(output.jobs.size());
  for (u32 i = 0; i < output.tables.size(); ++i) {
    const EngramTableRows& table = *output.tables[i];
    conversion.tasks.push_back({.key = {.output = number, .tensor = n_jobs + i},
                                .files = table.files(),
                                .unit_bytes = table.row_bytes(),
                                .convert = [&table](u64 first, const Append& append) -> Result<TensorConversion> {
                                  const Status done = append_engram_rows(table, first / table.row_bytes(), append);
                                  if (!done) return done.error();
                                  return TensorConversion{.bytes_in = table.bytes(), .small = {}};
                                }});
  }
  for (u32 i = 0; i < n_jobs; ++i) {
    const Job& job = output.jobs[i];
    conversion.tasks.push_back({.key = {.output = number, .tensor = i},
                                .files = job.tensor->files,
                                .unit_bytes = 0,
                                .convert = [&job](u64, const Append& append) -> Result<TensorConversion> {
                                  TensorConversion result{.bytes_in = job.tensor->bytes_in, .small = {}};
                                  const Status done = append_tensor(job, append, result.small);
                                  if (!done) return done.error();
                                  return result;
                                }});
  }
}

ConversionOutput output_of(const std::string& path, const GgufMetadata& metadata, const Output& output, u64 bytes) {
  return {.path = path,
          .bytes = bytes,
          .open = [path, metadata, &output](formats::WriteMode mode) -> Result<std::unique_ptr<formats::TensorWriter>> {
            Result<GgufWriter> writer = GgufWriter::create(path, metadata, output.tensors, mode);
            if (!writer) return writer.error();
            return std::unique_ptr<formats::TensorWriter>(std::make_unique<GgufWriter>(*std::move(writer)));
          }};
}

// Adds a file to the conversion, and its plan to the hash.
Status add_output(Conversion& conversion, Sha256& plan_hash, const std::string& path, const GgufMetadata& metadata,
                  const Output& output) {
  const Result<formats::GgufPlan> plan = formats::plan_gguf_file(metadata, output.tensors);
  if (!plan) return Error{fmt::format("{}: {}", path, plan.error().message)};
  plan_hash.update(plan->header);
  const auto number = static_cast<u32>(conversion.outputs.size());
  conversion.outputs.push_back(output_of(path, metadata, output, plan->file_bytes));
  add_tasks(conversion, number, output);
  return {};
}

// `done` begins with what became of this file's tasks.
void report_output(ConvertReport& report, const Output& output, std::span<const TensorConversion> done) {
  done = done.subspan(output.tables.size());
  for (std::size_t i = 0; i < output.jobs.size(); ++i) {
    const GgufInput::Tensor& tensor = *output.jobs[i].tensor;
    add_to_report(report, {.tensor_class = std::string(model::name(tensor.spec.tensor_class)),
                           .from = tensor.from,
                           .to = std::string(formats::name(output.jobs[i].type)),
                           .tensors = tensor.spec.packed.experts,
                           .bytes_in = tensor.bytes_in,
                           .bytes_out = formats::tensor_bytes(output.tensors[i])});
    if (done[i].small.blocks > 0) report.small_blocks.push_back({tensor.spec.name, done[i].small});
  }
  for (const EngramTableRows* table : output.tables) add_engram_to_report(report, table->bytes());
}

u64 checkpoint_bytes(const TensorSpec& spec, const formats::Checkpoint& checkpoint) {
  u64 bytes = 0;
  for (u64 expert = 0; expert < spec.packed.experts; ++expert) {
    bytes += checkpoint.find(spec.expert_name(expert))->bytes;
    if (spec.checkpoint != model::CheckpointFormat::kFp8 && spec.checkpoint != model::CheckpointFormat::kFp4) continue;
    bytes += checkpoint.find(spec.expert_scale_name(expert))->bytes;
  }
  return bytes;
}

// The rows file beside a packed file.
Status add_engram_rows(const std::string& packed_path, GgufInput& input,
                       std::vector<std::shared_ptr<const void>>& files) {
  const engram::EngramShape shape = model::engram_shape(input.config);
  Result<engram::EngramConstants> constants =
      engram::parse_engram_constants(input.documents.engram, packed_path + ", engram.json", shape);
  if (!constants) return constants.error();
  input.engram = *std::move(constants);
  const Result<formats::EngramFile> rows = open_rows_of(packed_path);
  if (!rows) return rows.error();
  if (const auto sources = engram::table_sources(*rows, shape); !sources) return sources.error();
  Result<MappedFile> opened = MappedFile::open(rows->path);
  if (!opened) return opened.error();
  const auto file = std::make_shared<const MappedFile>(*std::move(opened));
  for (const formats::EngramTable& table : rows->tables) {
    input.engram_tables.push_back(joined_rows(table.spec.layer, shape.head_dim,
                                              {.file = file.get(), .offset = table.offset, .bytes = table.bytes()}));
  }
  input.sources.push_back(file.get());
  files.push_back(file);
  return {};
}

}  // namespace

GgufInput gguf_input(const CheckpointFolder& folder) {
  const bool is_whole = !folder.documents.tokenizer.empty();  // not the drafter alone
  GgufInput input{.name = folder.path,
                  .config = folder.config,
                  .documents = folder.documents,
                  .engram = folder.engram,
                  .engram_tables = is_whole ? engram_table_rows(folder.config.engram, *folder.checkpoint)
                                            : std::vector<EngramTableRows>(),
                  .skipped = folder.skipped,
                  .files = folder.checkpoint};
  for (const MappedFile& shard : folder.checkpoint->shards()) input.sources.push_back(&shard);
  input.consumable = shards_without_rest(*folder.checkpoint, true);
  input.consumable_without_draft = shards_without_rest(*folder.checkpoint, false);
  for (const TensorSpec& spec : model::tensor_specs(folder.config)) {
    if (!spec.draft && !is_whole) continue;
    input.tensors.push_back(
        {.spec = spec,
         .from = std::string(model::name(spec.checkpoint)),
         .bytes_in = checkpoint_bytes(spec, *folder.checkpoint),
         .files = shards_of(spec, *folder.checkpoint),
         .open = [spec, checkpoint = folder.checkpoint] { return checkpoint_reader(spec, *checkpoint); }});
  }
  return input;
}

Result<GgufInput> gguf_input(const std::string& packed_path) {
  Result<formats::PackedFile> opened = formats::PackedFile::open(packed_path);
  if (!opened) return opened.error();
  const auto file = std::make_shared<const formats::PackedFile>(*std::move(opened));
  Result<model::Config> config = model::parse_config(file->config_json(), packed_path + ", config.json");
  if (!config) return config.error();
  GgufInput input{.name = packed_path,
                  .config = *std::move(config),
                  .documents = {.config = std::string(file->config_json()),
                                .tokenizer = std::string(file->tokenizer_json()),
                                .engram = std::string(file->engram_json())}};
  Result<MappedFile> readable = MappedFile::open(packed_path);
  if (!readable) return readable.error();
  const auto mapped = std::make_shared<const MappedFile>(*std::move(readable));
  if (Status complete = model::account_for_packed_tensors(input.config, *file); !complete) return complete.error();
  for (TensorSpec spec : model::tensor_specs(input.config)) {
    const formats::PackedTensor* tensor = file->find(spec.name);
    if (tensor == nullptr) continue;  // a drafter that was left out
    spec.packed.type = tensor->spec.shape.type;
    input.tensors.push_back(
        {.spec = spec,
         .from = std::string(formats::name(spec.packed.type)),
         .bytes_in = spec.packed.experts * (tensor->placement.expert.codes + tensor->placement.expert.scales),
         .files = {mapped.get()},
         .open = [spec, place = tensor->placement, mapped] { return packed_reader(spec, place, *mapped); }});
  }
  input.sources.push_back(mapped.get());
  std::vector<std::shared_ptr<const void>> files = {mapped};
  if (!input.config.engram.layer_ids.empty()) {
    if (Status added = add_engram_rows(packed_path, input, files); !added) return added.error();
  }
  input.files = std::make_shared<const std::vector<std::shared_ptr<const void>>>(std::move(files));
  return input;
}

Result<GgufReport> convert_to_gguf(const GgufInput& input, const std::string& path, GgufRecipe recipe,
                                   const ConvertOptions& options) {
  const Result<Output> target = plan_output(input, recipe, false);
  if (!target) return target.error();
  const Result<Output> draft = plan_output(input, recipe, true);
  if (!draft) return draft.error();
  const bool with_draft = options.with_draft && !draft->jobs.empty();

  Sha256 plan_hash;
  plan_hash.update("gguf 1");
  Conversion conversion{.sources = input.sources, .path = path};
  if (options.consume) conversion.consumed = with_draft ? input.consumable : input.consumable_without_draft;
  if (with_draft) {
    const Status added = add_output(conversion, plan_hash, options.with_trunk ? gguf_draft_path(path) : path,
                                    draft_metadata(input, recipe), *draft);
    if (!added) return added.error();
  }
  if (options.with_trunk) {
    const Result<GgufMetadata> metadata = target_metadata(input, recipe);
    if (!metadata) return metadata.error();
    if (Status added = add_output(conversion, plan_hash, path, *metadata, *target); !added) return added.error();
  }
  if (conversion.outputs.empty()) return Error{input.name + ": has no drafter"};
  conversion.plan = plan_hash.finish();
  const Result<std::vector<TensorConversion>> done = run_conversion(conversion, run_of(options));
  if (!done) return done.error();

  GgufReport result;
  const std::span<const TensorConversion> of_tasks(*done);
  const std::size_t n_draft = with_draft ? draft->jobs.size() : 0;
  if (options.with_trunk) {
    result.target_bytes = conversion.outputs.back().bytes;
    report_output(result.report, *target, of_tasks.subspan(n_draft));
  }
  result.report.vision = input.skipped;
  if (with_draft) {
    result.draft_bytes = conversion.outputs.front().bytes;
    report_output(result.report, *draft, of_tasks.first(n_draft));
    return result;
  }
  for (const Job& job : draft->jobs) {
    ++result.report.omitted_draft.count;
    result.report.omitted_draft.bytes += job.tensor->bytes_in;
  }
  return result;
}

}  // namespace bolide::convert
