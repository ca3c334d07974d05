#include "convert/checkpoint_folder.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>

#include "base/mapped_file.h"
#include "convert/token_map_of.h"
#include "engram/make_constants.h"
#include "engram/table_sources.h"
#include "model/engram_shape.h"
#include "model/tensors.h"

namespace bolide::convert {
namespace {

constexpr u64 kMaxConfigBytes = 1 << 20;
constexpr u64 kMaxDocumentBytes = 256 << 20;

// The official folder has no engram.json: its constants follow from the tokenizer and the configuration.
Result<std::string> read_engram_json(const CheckpointFolder& folder) {
  const std::string path = folder.path + "/engram.json";
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return read_text_file(path, kMaxDocumentBytes);
  const engram::EngramShape shape = model::engram_shape(folder.config);
  Result<engram::TokenMap> map = token_map_of(folder.documents.tokenizer, folder.path + "/tokenizer.json");
  if (!map) return map.error();
  if (map->ids.size() != shape.vocab_size || map->compressed_vocab_size != shape.compressed_vocab_size) {
    return Error{fmt::format(
        "{}: there is no engram.json, and the tokenizer's {} tokens compress to {} ids, where config.json names {} and "
        "{}; copy the model's engram.json into the folder",
        folder.path, map->ids.size(), map->compressed_vocab_size, shape.vocab_size, shape.compressed_vocab_size)};
  }
  // Without this a hostile configuration could ask for a search of hours.
  const u64 start = folder.config.engram.prime_search_start;
  if (std::ranges::any_of(shape.rows, [&](u64 rows) { return start == 0 || rows / start < shape.columns(); })) {
    return Error{fmt::format(
        "{}/config.json: field engram_num_embeddings is too small for {} primes from engram_vocab_size ({}) on",
        folder.path, shape.columns(), start)};
  }
  if (shape.pad_id >= shape.vocab_size) {
    return Error{fmt::format("{}/config.json: field engram_pad_id is {}, which is not in the vocabulary of {} tokens",
                             folder.path, shape.pad_id, shape.vocab_size)};
  }
  return engram::engram_json(engram::make_constants(shape, *std::move(map), folder.config.engram.prime_search_start),
                             shape);
}

Status read_config(CheckpointFolder& folder) {
  const std::string path = folder.path + "/config.json";
  std::error_code ignored;  // what cannot be asked cannot be opened either, and that error says why
  if (std::filesystem::is_directory(folder.path, ignored) && !std::filesystem::exists(path, ignored)) {
    return Error{folder.path +
                 ": this folder has no model in it: no packed file (*.bolide), and no config.json, as an official "
                 "checkpoint has"};
  }
  Result<std::string> config = read_text_file(path, kMaxConfigBytes);
  if (!config) return config.error();
  Result<model::Config> parsed = model::parse_config(*config, path);
  if (!parsed) return parsed.error();
  folder.config = *std::move(parsed);
  folder.documents.config = *std::move(config);
  return {};
}

Status read_documents(CheckpointFolder& folder) {
  if (Status read = read_config(folder); !read) return read;
  Result<std::string> tokenizer = read_text_file(folder.path + "/tokenizer.json", kMaxDocumentBytes);
  if (!tokenizer) return tokenizer.error();
  folder.documents.tokenizer = *std::move(tokenizer);

  if (folder.config.engram.layer_ids.empty()) return {};
  Result<std::string> engram = read_engram_json(folder);
  if (!engram) return engram.error();
  Result<engram::EngramConstants> constants =
      engram::parse_engram_constants(*engram, folder.path + "/engram.json", model::engram_shape(folder.config));
  if (!constants) return constants.error();
  folder.engram = *std::move(constants);
  folder.documents.engram = *std::move(engram);
  return {};
}

Status find_engram_tables(CheckpointFolder& folder) {
  const model::EngramConfig& engram = folder.config.engram;
  for (std::size_t i = 0; i < engram.layer_ids.size(); ++i) {
    const u32 layer = engram.layer_ids[i];
    Result<engram::TableSource> table =
        engram::table_source(*folder.checkpoint, model::engram_codes_name(layer), model::engram_scales_name(layer),
                             engram.rows[i], engram.head_dim);
    if (!table) return Error{fmt::format("{}: {}", folder.path, table.error().message)};
    folder.engram_tables.push_back(*std::move(table));
  }
  return {};
}

}  // namespace

Result<CheckpointFolder> open_checkpoint_folder(const std::string& path, const std::vector<formats::GoneShard>& gone) {
  CheckpointFolder folder;
  folder.path = path;
  if (Status read = read_documents(folder); !read) return read.error();

  Result<formats::Checkpoint> checkpoint = formats::Checkpoint::open_folder(path, gone);
  if (!checkpoint) return checkpoint.error();
  folder.checkpoint = std::make_shared<const formats::Checkpoint>(*std::move(checkpoint));
  const Result<model::SkippedTensors> skipped = model::account_for_tensors(folder.config, *folder.checkpoint);
  if (!skipped) return Error{fmt::format("{}: {}", path, skipped.error().message)};
  folder.skipped = *skipped;
  for (const formats::Tensor& tensor : folder.checkpoint->tensors()) folder.payload_bytes += tensor.bytes;
  if (Status found = find_engram_tables(folder); !found) return found.error();
  return folder;
}

Result<CheckpointFolder> open_draft_folder(const std::string& path) {
  CheckpointFolder folder;
  folder.path = path;
  if (Status read = read_config(folder); !read) return read.error();
  if (folder.config.draft.n_stages == 0) return Error{path + "/config.json: this model has no drafter"};
  Result<formats::Checkpoint> checkpoint = formats::Checkpoint::open_part(path, "mtp.");
  if (!checkpoint) return checkpoint.error();
  folder.checkpoint = std::make_shared<const formats::Checkpoint>(*std::move(checkpoint));
  if (Status complete = model::account_for_draft_tensors(folder.config, *folder.checkpoint); !complete) {
    return Error{fmt::format("{}: {}", path, complete.error().message)};
  }
  for (const formats::Tensor& tensor : folder.checkpoint->tensors()) folder.payload_bytes += tensor.bytes;
  return folder;
}

std::vector<const MappedFile*> shards_of(const model::TensorSpec& spec, const formats::Checkpoint& checkpoint) {
  std::set<u64> shards;
  const bool scaled =
      spec.checkpoint == model::CheckpointFormat::kFp8 || spec.checkpoint == model::CheckpointFormat::kFp4;
  for (u64 expert = 0; expert < spec.packed.experts; ++expert) {
    shards.insert(checkpoint.find(spec.expert_name(expert))->shard);
    if (scaled) shards.insert(checkpoint.find(spec.expert_scale_name(expert))->shard);
  }
  std::vector<const MappedFile*> files;
  for (const u64 shard : shards) files.push_back(&checkpoint.shards()[shard]);
  return files;
}

std::vector<const MappedFile*> shards_without_rest(const formats::Checkpoint& checkpoint, bool with_draft,
                                                   bool with_engram) {
  std::set<u64> with_rest;
  for (const formats::Tensor& tensor : checkpoint.tensors()) {
    if (model::is_vision_tensor(tensor.name) || (!with_draft && tensor.name.starts_with("mtp.")) ||
        (!with_engram && tensor.name.find(".engram.embed.") != std::string::npos)) {
      with_rest.insert(tensor.shard);
    }
  }
  std::vector<const MappedFile*> shards;
  for (u64 i = 0; i < checkpoint.shards().size(); ++i) {
    if (!with_rest.contains(i)) shards.push_back(&checkpoint.shards()[i]);
  }
  return shards;
}

}  // namespace bolide::convert
