#include "convert/gguf_model.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>
#include <unordered_set>

#include "formats/names.h"
#include "model/engram_shape.h"
#include "model/gguf_config.h"
#include "model/gguf_engram.h"
#include "model/gguf_names.h"
#include "model/gguf_tokenizer.h"

namespace bolide::convert {
namespace {

using formats::GgufFile;
using formats::GgufTensor;
using formats::GgufType;
using formats::WeightType;
using model::TensorSpec;

constexpr std::string_view kTargetArchitecture = "deepseek41";
constexpr std::array<std::string_view, 2> kDraftArchitectures{"deepseek41-dspark", "deepseek4-dspark"};

Result<std::shared_ptr<const GgufFile>> open_file(const std::string& path, std::span<const std::string_view> known) {
  Result<GgufFile> file = GgufFile::open(path);
  if (!file) return file.error();
  const formats::GgufValue* value = file->value("general.architecture");
  const std::string_view architecture = value == nullptr ? "" : value->text().value_or("");
  if (std::ranges::find(known, architecture) == known.end()) {
    const bool is_draft = std::ranges::find(kDraftArchitectures, architecture) != kDraftArchitectures.end();
    return Error{fmt::format(
        "{}: its general.architecture is \"{}\", wanted is \"{}\"{}", path, formats::printable(architecture), known[0],
        is_draft ? "; this is a drafter: name it with --draft-model, beside the model's file" : "")};
  }
  return std::make_shared<const GgufFile>(*std::move(file));
}

Status read_documents(GgufModel& model) {
  Result<std::string> config = model::gguf_config_json(*model.target, model.draft.get());
  if (!config) return config.error();
  Result<model::Config> parsed = model::parse_config(*config, model.path + ", config in its metadata");
  if (!parsed) return parsed.error();
  model.config = *std::move(parsed);
  model.documents.config = *std::move(config);
  if (model.draft != nullptr) {
    if (Status agrees = model::check_draft_keys(model.config, *model.draft); !agrees) return agrees;
  }
  Result<std::string> tokenizer = model::gguf_tokenizer_json(*model.target);
  if (!tokenizer) return tokenizer.error();
  model.documents.tokenizer = *std::move(tokenizer);

  if (model.config.engram.layer_ids.empty()) return {};
  Result<std::string> engram = model::gguf_engram_json(model.config.engram, *model.target);
  if (!engram) return engram.error();
  Result<engram::EngramConstants> constants = engram::parse_engram_constants(
      *engram, model.path + ", Engram constants in its metadata", model::engram_shape(model.config));
  if (!constants) return constants.error();
  model.engram = *std::move(constants);
  model.documents.engram = *std::move(engram);
  return {};
}

// Whether the role can take what is stored; what it becomes is gguf_tensor.h's to say.
bool fits_role(WeightType role, GgufType stored) {
  if (stored == GgufType::kI8) return false;
  if (role == WeightType::kMXFP4) return stored == GgufType::kMXFP4 || stored == GgufType::kQ4_K;
  if (role == WeightType::kF32) return !formats::is_quantized(*formats::weight_type(stored));
  if (role == WeightType::kBF16) return stored != GgufType::kMXFP4 && stored != GgufType::kQ4_K;
  return stored != GgufType::kMXFP4;
}

std::string_view wanted_types(WeightType role) {
  switch (role) {
    case WeightType::kMXFP4:
      return "MXFP4 or Q4_K";
    case WeightType::kF32:
      return "F32, F16 or BF16";
    case WeightType::kBF16:
      return "BF16, F16, F32 or Q8_0";
    default:
      return "Q8_0, Q4_K, F16, BF16 or F32";
  }
}

// Dimensions without ones at the end, which some writers leave out.
std::vector<u64> trimmed(std::vector<u64> dimensions) {
  while (dimensions.size() > 1 && dimensions.back() == 1) dimensions.pop_back();
  return dimensions;
}

Status check_tensor(const TensorSpec& spec, const GgufTensor& tensor, const std::string& path) {
  std::vector<u64> wanted = {spec.packed.columns, spec.packed.rows, spec.packed.experts};
  if (trimmed(tensor.dimensions) != trimmed(wanted)) {
    return Error{fmt::format("{}: tensor {} is {}, but the configuration makes it [{}]", path, tensor.name,
                             formats::describe(tensor), formats::listed(trimmed(std::move(wanted))))};
  }
  if (fits_role(spec.packed.type, tensor.type)) return {};
  return Error{fmt::format(
      "{}: tensor {} is {}, but a tensor of its role ({}) must be {}; take another file of the "
      "model, or convert the official checkpoint",
      path, tensor.name, formats::describe(tensor), model::name(spec.tensor_class), wanted_types(spec.packed.type))};
}

// Finds the tensors of one file and ticks them off.
class FileAccounting {
 public:
  explicit FileAccounting(const GgufFile& file) : file_(file) {}

  const GgufFile& file() const { return file_; }

  // nullptr where none of the tensor's names is there.
  const GgufTensor* take(const TensorSpec& spec) {
    for (const std::string& name : model::gguf_names(spec)) {
      if (const GgufTensor* tensor = take(name)) return tensor;
    }
    return nullptr;
  }
  const GgufTensor* take(std::string_view name) {
    const GgufTensor* tensor = file_.find(name);
    if (tensor != nullptr) taken_.insert(tensor->name);
    return tensor;
  }

  // What nobody took must belong to the vision tower, or to a drafter that another one replaces.
  Status finish(bool draft_is_replaced, model::SkippedTensors& skipped) const {
    for (const GgufTensor& tensor : file_.tensors()) {
      if (taken_.contains(tensor.name) || (draft_is_replaced && tensor.name.starts_with("mtp."))) continue;
      if (!model::is_vision_tensor(tensor.name)) {
        return Error{
            fmt::format("{}: tensor {} ({}) is unknown: no part of the model that its configuration describes "
                        "has it",
                        file_.path(), tensor.name, formats::describe(tensor))};
      }
      ++skipped.count;
      skipped.bytes += tensor.data.size();
    }
    return {};
  }

 private:
  const GgufFile& file_;
  std::unordered_set<std::string_view> taken_;
};

// The tensor, or the one that stands for it: some drafter files leave out the bias for image tokens, which a drafter,
// that only ever drafts text, does not read.
const GgufTensor* find_source(FileAccounting& file, const TensorSpec& spec) {
  if (const GgufTensor* tensor = file.take(spec)) return tensor;
  constexpr std::string_view kImageBias = ".bias_vl";
  if (!spec.draft || !spec.name.ends_with(kImageBias)) return nullptr;
  TensorSpec text_bias = spec;
  text_bias.name.resize(spec.name.size() - std::string_view("_vl").size());
  return file.take(text_bias);
}

Error missing(const GgufFile& file, const TensorSpec& spec) {
  return {
      fmt::format("{}: tensor {} is missing; the file is not complete, or not of the model that its configuration "
                  "describes",
                  file.path(), model::gguf_name(spec))};
}

Status add_source(GgufModel& model, FileAccounting& file, const TensorSpec& spec) {
  const GgufTensor* tensor = find_source(file, spec);
  if (tensor == nullptr) return missing(file.file(), spec);
  if (Status good = check_tensor(spec, *tensor, file.file().path()); !good) return good;
  model.tensors.push_back({spec, tensor, &file.file().files()[tensor->part]});
  return {};
}

Status find_tensors(GgufModel& model, FileAccounting& target, FileAccounting& draft) {
  const std::vector<TensorSpec> specs = model::tensor_specs(model.config);
  const bool with_draft = model.draft != nullptr || std::ranges::any_of(specs, [&](const TensorSpec& spec) {
                            return spec.draft && target.take(spec) != nullptr;
                          });
  for (const TensorSpec& spec : specs) {
    if (spec.draft && !with_draft) continue;
    if (Status added = add_source(model, spec.draft ? draft : target, spec); !added) return added;
  }
  return {};
}

Status find_engram_tables(GgufModel& model, FileAccounting& target) {
  const model::EngramConfig& config = model.config.engram;
  const u64 row_bytes = u64{config.head_dim} + config.head_dim / 32;
  for (std::size_t i = 0; i < config.layer_ids.size(); ++i) {
    const std::string name = model::gguf_engram_name(config.layer_ids[i]);
    const GgufTensor* table = target.take(name);
    if (table == nullptr) return Error{fmt::format("{}: tensor {} is missing", model.path, name)};
    if (table->type != GgufType::kI8 || table->dimensions != std::vector<u64>{row_bytes, config.rows[i]}) {
      return Error{fmt::format("{}: tensor {} is {}, but the configuration makes it I8 [{}, {}]", model.path, name,
                               formats::describe(*table), row_bytes, config.rows[i])};
    }
    const MappedFile& file = model.target->files()[table->part];
    model.engram_rows.push_back(
        joined_rows(config.layer_ids[i], config.head_dim,
                    {.file = &file, .offset = table->file_offset, .bytes = table->data.size()}));
    model.engram_tables.push_back({{file.path(), table->file_offset, row_bytes},
                                   {file.path(), table->file_offset + config.head_dim, row_bytes},
                                   config.rows[i]});
  }
  return {};
}

}  // namespace

Result<GgufModel> open_gguf_model(const std::string& path, const std::string& draft_path) {
  GgufModel model;
  model.path = path;
  Result<std::shared_ptr<const GgufFile>> target = open_file(path, std::array{kTargetArchitecture});
  if (!target) return target.error();
  model.target = *std::move(target);
  if (!draft_path.empty()) {
    Result<std::shared_ptr<const GgufFile>> draft = open_file(draft_path, kDraftArchitectures);
    if (!draft) return draft.error();
    model.draft = *std::move(draft);
  }
  if (Status read = read_documents(model); !read) return read.error();
  if (model.draft != nullptr && model.config.draft.n_stages == 0) {
    return Error{fmt::format("{}: the configuration of {} has no drafter", draft_path, path)};
  }

  FileAccounting in_target(*model.target);
  FileAccounting in_draft(model.draft == nullptr ? *model.target : *model.draft);
  FileAccounting& of_draft = model.draft == nullptr ? in_target : in_draft;
  if (Status found = find_tensors(model, in_target, of_draft); !found) return found.error();
  if (Status found = find_engram_tables(model, in_target); !found) return found.error();
  if (Status all = in_target.finish(model.draft != nullptr, model.skipped); !all) return all.error();
  if (model.draft == nullptr) return model;
  if (Status all = in_draft.finish(false, model.skipped); !all) return all.error();
  return model;
}

Result<GgufModel> open_gguf_drafter(const std::string& path, const model::Config& config) {
  GgufModel model;
  model.path = path;
  model.config = config;
  Result<std::shared_ptr<const GgufFile>> file = open_file(path, kDraftArchitectures);
  if (!file) return file.error();
  model.target = *std::move(file);
  if (Status agrees = model::check_draft_keys(config, *model.target); !agrees) return agrees.error();
  FileAccounting accounting(*model.target);
  for (const TensorSpec& spec : model::tensor_specs(config)) {
    if (!spec.draft) continue;
    if (Status found = add_source(model, accounting, spec); !found) return found.error();
  }
  if (Status all = accounting.finish(false, model.skipped); !all) return all.error();
  return model;
}

u64 weight_bytes(const GgufModel& model) {
  u64 bytes = 0;
  for (const GgufSource& source : model.tensors) bytes += source.tensor->data.size();
  return bytes;
}

}  // namespace bolide::convert
