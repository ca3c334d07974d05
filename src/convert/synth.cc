#include "convert/synth.h"

#include <algorithm>
#include <fmt/format.h>

#include "convert/file_names.h"
#include "convert/packed_specs.h"
#include "convert/parallel.h"
#include "convert/synth_making.h"
#include "convert/synth_rows.h"
#include "convert/synth_rules.h"
#include "convert/synth_tokenizer.h"
#include "convert/token_map_of.h"
#include "engram/make_constants.h"
#include "formats/engram_file.h"
#include "model/engram_shape.h"
#include "model/packed_weights.h"

namespace bolide::convert {
namespace {

using formats::PackedWriter;
using formats::WeightType;
using model::TensorSpec;

// A tensor in the order of PackedWriter: all experts' codes, then all experts' scales.
Status make_tensor(u64 seed, const TensorSpec& spec, const std::function<Status(Bytes)>& append) {
  for (u64 expert = 0; expert < spec.packed.experts; ++expert) {
    if (Status made = make_plane(seed, packed_planes(spec, expert).codes, append); !made) return made;
  }
  if (!formats::is_quantized(spec.packed.type)) return {};
  for (u64 expert = 0; expert < spec.packed.experts; ++expert) {
    if (Status made = make_plane(seed, *packed_planes(spec, expert).scales, append); !made) return made;
  }
  return {};
}

std::vector<formats::EngramTableSpec> table_specs(const SynthPlan& plan) {
  const engram::EngramShape shape = model::engram_shape(plan.config);
  std::vector<formats::EngramTableSpec> specs;
  specs.reserve(shape.layer_ids.size());
  for (std::size_t i = 0; i < shape.layer_ids.size(); ++i) {
    specs.push_back({shape.layer_ids[i], shape.rows[i], u64{shape.head_dim} + shape.head_dim / 32});
  }
  return specs;
}

// Writes one Engram table, some rows at a time.
Status make_table(const engram::RowReader& rows, u32 table, u64 n_rows, const std::function<Status(Bytes)>& append) {
  const u64 rows_a_piece = std::max<u64>(1, kMakingBytes / rows.row_bytes());
  std::vector<std::byte> buffer(rows_a_piece * rows.row_bytes());
  std::vector<u64> numbers;
  for (u64 first = 0; first < n_rows; first += rows_a_piece) {
    numbers.clear();
    for (u64 row = first; row < std::min(first + rows_a_piece, n_rows); ++row) numbers.push_back(row);
    const std::span<std::byte> piece = std::span(buffer).first(numbers.size() * rows.row_bytes());
    if (Status read = rows.read(table, numbers, piece); !read) return read;
    if (Status appended = append(piece); !appended) return appended;
  }
  return {};
}

// Makes all tensors into `weights` and, where there is one, all tables into `engram`.
Status make_all(const SynthPlan& plan, const SynthRun& run, PackedWriter& weights, formats::EngramWriter* engram) {
  const std::vector<formats::EngramTableSpec> tables =
      engram == nullptr ? std::vector<formats::EngramTableSpec>() : table_specs(plan);
  u64 total = weights.size_bytes();
  for (const formats::EngramTableSpec& table : tables) total += table.rows * table.row_bytes;
  MakingProgress progress(run, total);
  const std::unique_ptr<engram::RowReader> rows = synth_rows(plan);
  return run_tasks(tables.size() + plan.tensors.size(), thread_count(run), [&](u64 task) {
    if (task < tables.size()) {
      return make_table(*rows, static_cast<u32>(task), tables[task].rows, [&](Bytes piece) {
        progress.add(piece.size());
        return engram->append(task, piece);
      });
    }
    const std::size_t tensor = task - tables.size();
    return make_tensor(plan.options.seed, plan.tensors[tensor], [&](Bytes piece) {
      progress.add(piece.size());
      return weights.append(tensor, piece);
    });
  });
}

Result<std::vector<TensorSpec>> synth_tensors(const SynthOptions& options, const model::Config& config) {
  std::vector<TensorSpec> specs = model::tensor_specs(config);
  for (TensorSpec& spec : specs) {
    if (spec.stacked()) spec.packed.type = options.experts_type;
    if (const auto planes = formats::plane_bytes(spec.packed); !planes) {
      return Error{fmt::format("{}: {}", spec.name, planes.error().message)};
    }
  }
  return specs;
}

}  // namespace

Result<SynthPlan> plan_synth(const SynthOptions& options) {
  if (options.experts_type != WeightType::kMXFP4 && options.experts_type != WeightType::kQ4_K) {
    return Error{
        fmt::format("--experts-type is {}, but experts are MXFP4 or Q4_K", formats::name(options.experts_type))};
  }
  const Result<SynthShape> shape = synth_shape(options);
  if (!shape) return shape.error();
  SynthTokenizer tokenizer = synth_tokenizer(shape->vocab_size);
  Result<engram::TokenMap> map = token_map_of(tokenizer.json, "the synthetic tokenizer");
  if (!map) return map.error();

  engram::EngramShape engram{.vocab_size = shape->vocab_size,
                             .compressed_vocab_size = map->compressed_vocab_size,
                             .pad_id = 2,
                             .max_ngram = 4,
                             .n_heads = shape->engram_n_heads,
                             .head_dim = shape->engram_head_dim,
                             .layer_ids = synth_engram_layers(*shape),
                             .rows = {}};
  SynthPlan plan;
  plan.options = options;
  plan.engram = engram::make_constants(engram, *std::move(map), shape->prime_search_start);
  for (const engram::TableConstants& table : plan.engram.tables) engram.rows.push_back(table.rows);
  plan.documents = {.config = synth_config_json(*shape,
                                                {.noise_token_id = tokenizer.noise_token_id,
                                                 .image_token_id = tokenizer.image_token_id,
                                                 .compressed_vocab_size = engram.compressed_vocab_size},
                                                engram.rows),
                    .tokenizer = std::move(tokenizer.json),
                    .engram = engram::engram_json(plan.engram, engram)};
  Result<model::Config> config = model::parse_config(plan.documents.config, "the synthetic config.json");
  if (!config) return config.error();
  plan.config = *std::move(config);
  Result<std::vector<TensorSpec>> tensors = synth_tensors(options, plan.config);
  if (!tensors) return tensors.error();
  plan.tensors = *std::move(tensors);
  return plan;
}

Result<formats::PackedFile> synth_to_memory(const SynthPlan& plan, const SynthRun& run, formats::ContentHashes hashes) {
  Result<PackedWriter> weights =
      PackedWriter::to_memory("synthetic " + plan.options.shape, plan.documents, packed_specs(plan.tensors), hashes);
  if (!weights) return weights.error();
  if (Status made = make_all(plan, run, *weights, nullptr); !made) return made.error();
  return weights->finish();
}

Result<formats::PackedFile> synth_to_files(const SynthPlan& plan, const std::string& path, const SynthRun& run) {
  Result<PackedWriter> weights = PackedWriter::to_file(path, plan.documents, packed_specs(plan.tensors));
  if (!weights) return weights.error();
  Result<formats::EngramWriter> engram = formats::EngramWriter::create(engram_path(path), table_specs(plan));
  if (!engram) return engram.error();
  if (Status made = make_all(plan, run, *weights, &*engram); !made) return made.error();
  if (const auto rows = engram->finish(); !rows) return rows.error();
  return weights->finish();
}

std::unique_ptr<engram::RowReader> synth_rows(const SynthPlan& plan) {
  return std::make_unique<SynthRows>(plan.options.seed, model::engram_shape(plan.config));
}

Result<model::Model> synth_model_in_memory(const SynthOptions& options) {
  Result<SynthPlan> plan = plan_synth(options);
  if (!plan) return plan.error();
  Result<formats::PackedFile> file = synth_to_memory(*plan, {}, formats::ContentHashes::kLeftOut);
  if (!file) return file.error();
  Result<model::Weights> weights = model::load_packed_weights(plan->config, *std::move(file));
  if (!weights) return weights.error();
  std::unique_ptr<engram::RowReader> rows = synth_rows(*plan);
  return model::Model{std::move(plan->config), *std::move(weights), std::move(plan->engram), std::move(rows)};
}

std::vector<u32> synth_token_ids(u64 seed, const model::Config& config, u64 n) {
  std::vector<u32> ids(n);
  fill_random(seed, fnv1a_64("tokens"), 0, std::as_writable_bytes(std::span(ids)));
  for (u32& id : ids) id %= config.image_token_id;
  return ids;
}

}  // namespace bolide::convert
