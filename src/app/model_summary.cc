#include "app/model_summary.h"

#include <fmt/format.h>
#include <map>
#include <tuple>

#include "convert/checkpoint_folder.h"
#include "convert/file_names.h"
#include "convert/gguf_model.h"
#include "convert/rows_of.h"
#include "engine/model_files.h"
#include "formats/engram_file.h"
#include "formats/packed_file.h"
#include "model/packed_weights.h"

namespace bolide::app {
namespace {

using model::CheckpointFormat;
using model::TensorSpec;

Result<ModelSummary> summarize_checkpoint(const std::string& path) {
  Result<convert::CheckpointFolder> folder = convert::open_checkpoint_folder(path);
  if (!folder) return folder.error();
  ModelSummary summary{path, ModelForm::kCheckpoint, folder->config, {}, {}, folder->skipped};
  const auto bytes_of = [&](const std::string& name) {
    const formats::Tensor* tensor = folder->checkpoint->find(name);
    return tensor != nullptr ? tensor->bytes : 0;
  };
  for (const TensorSpec& spec : model::tensor_specs(folder->config)) {
    const bool scaled = spec.checkpoint == CheckpointFormat::kFp8 || spec.checkpoint == CheckpointFormat::kFp4;
    u64 bytes = 0;
    for (u64 expert = 0; expert < spec.packed.experts; ++expert)
      bytes += bytes_of(spec.expert_name(expert)) + (scaled ? bytes_of(spec.expert_scale_name(expert)) : 0);
    summary.tensors.push_back({spec, std::string(model::name(spec.checkpoint)), bytes});
  }
  const model::EngramConfig& engram = folder->config.engram;
  for (std::size_t i = 0; i < engram.layer_ids.size(); ++i)
    summary.engram_tables.push_back({engram.layer_ids[i], engram.rows[i], engram.head_dim + engram.head_dim / 32});
  return summary;
}

Result<ModelSummary> summarize_packed(const std::string& path) {
  Result<formats::PackedFile> file = formats::PackedFile::open(path);
  if (!file) return file.error();
  Result<model::Config> config = model::parse_config(file->config_json(), path + ", config.json");
  if (!config) return config.error();
  ModelSummary summary{path, ModelForm::kPacked, *config, {}, {}, {}};
  const bool is_drafter = model::is_packed_drafter(*file);
  for (const TensorSpec& spec : model::tensor_specs(*config)) {
    const formats::PackedTensor* tensor = file->find(spec.name);
    if (tensor == nullptr && (spec.draft || is_drafter)) continue;
    if (tensor == nullptr) return Error{fmt::format("{}: tensor {} is missing", path, spec.name)};
    const formats::PlaneBytes& planes = tensor->placement.expert;
    summary.tensors.push_back({spec, std::string(formats::name(tensor->spec.shape.type)),
                               tensor->spec.shape.experts * (planes.codes + planes.scales)});
  }
  if (config->engram.layer_ids.empty() || is_drafter) return summary;
  Result<formats::EngramFile> rows = convert::open_rows_of(path);
  if (!rows) return rows.error();
  for (const formats::EngramTable& table : rows->tables)
    summary.engram_tables.push_back({table.spec.layer, table.spec.rows, table.spec.row_bytes});
  return summary;
}

Result<ModelSummary> summarize_gguf(const std::string& path) {
  const Result<convert::GgufModel> gguf = convert::open_gguf_model(path, "");
  if (!gguf) return gguf.error();
  ModelSummary summary{path, ModelForm::kGguf, gguf->config, {}, {}, gguf->skipped};
  for (const convert::GgufSource& source : gguf->tensors) {
    const formats::GgufTensor& tensor = *source.tensor;
    summary.tensors.push_back({source.spec, std::string(formats::name(tensor.type)), tensor.data.size()});
  }
  for (const convert::EngramTableRows& table : gguf->engram_rows)
    summary.engram_tables.push_back({table.layer, table.rows, table.row_bytes()});
  return summary;
}

}  // namespace

Result<ModelSummary> summarize_model(const std::string& path) {
  if (engine::is_gguf(path)) return summarize_gguf(path);
  Result<std::optional<std::string>> packed = engine::find_packed_file(path);
  if (!packed) return packed.error();
  return *packed ? summarize_packed(**packed) : summarize_checkpoint(path);
}

std::vector<ClassSize> class_sizes(const ModelSummary& summary) {
  std::map<std::tuple<bool, model::TensorClass, std::string>, ClassSize> sizes;
  for (const StoredTensor& tensor : summary.tensors) {
    const auto& [spec, type, bytes] = tensor;
    auto [entry, is_new] =
        sizes.try_emplace({spec.draft, spec.tensor_class, type}, ClassSize{spec.draft, spec.tensor_class, type, 0, 0});
    entry->second.tensors += spec.packed.experts;
    entry->second.bytes += bytes;
  }
  std::vector<ClassSize> list;
  list.reserve(sizes.size());
  for (auto& [key, size] : sizes) list.push_back(std::move(size));
  return list;
}

u64 stored_bytes(const ModelSummary& summary) {
  u64 bytes = 0;
  for (const StoredTensor& tensor : summary.tensors) bytes += tensor.bytes;
  for (const StoredTable& table : summary.engram_tables) bytes += table.bytes();
  return bytes;
}

std::vector<ReadPerToken> read_per_token(const ModelSummary& summary, bool draft) {
  std::map<model::TensorClass, u64> bytes_of_class;
  for (const StoredTensor& tensor : summary.tensors) {
    if (tensor.spec.draft != draft) continue;
    bytes_of_class[tensor.spec.tensor_class] += model::bytes_read_per_token(tensor.spec, tensor.bytes, summary.config);
  }
  std::vector<ReadPerToken> list;
  list.reserve(bytes_of_class.size());
  for (const auto& [tensor_class, bytes] : bytes_of_class) list.push_back({tensor_class, bytes});
  return list;
}

}  // namespace bolide::app
