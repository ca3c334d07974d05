#include "engine/model_files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "convert/checkpoint_folder.h"
#include "convert/checkpoint_to_packed.h"
#include "convert/file_names.h"
#include "convert/gguf_to_packed.h"
#include "convert/rows_of.h"
#include "engram/table_sources.h"
#include "formats/engram_file.h"
#include "formats/packed_file.h"
#include "model/checkpoint_weights.h"
#include "model/engram_shape.h"
#include "model/oracle/oracle_arithmetic.h"
#include "model/packed_weights.h"
#include "model/reference/reference_arithmetic.h"

namespace bolide::engine {
namespace {

namespace fs = std::filesystem;

// A larger checkpoint is not packed in memory but converted once (interfaces.md).
constexpr u64 kPackInMemoryBytes = 2'000'000'000;

std::unique_ptr<const model::Arithmetic> make_arithmetic(ArithmeticKind kind, const model::Config& config) {
  switch (kind) {
    case ArithmeticKind::kA1:
      return std::make_unique<model::OracleArithmetic>(config);
    case ArithmeticKind::kRef:
      return std::make_unique<model::ReferenceArithmetic>(config, model::ReferenceMode::kRef);
    case ArithmeticKind::kPlain:
      return std::make_unique<model::ReferenceArithmetic>(config, model::ReferenceMode::kPlain);
  }
  return nullptr;
}

// What both kinds of files come down to.
struct Parts {
  std::string path;
  model::Config config;
  model::Weights weights;
  engram::EngramConstants engram_constants;
  std::vector<engram::TableSource> engram_tables;
  std::string_view tokenizer_json;
};

Result<std::unique_ptr<OpenModel>> assemble(Parts parts, ArithmeticKind kind) {
  Result<text::Tokenizer> tokenizer = text::Tokenizer::from_json(parts.tokenizer_json, parts.path + ", tokenizer.json");
  if (!tokenizer) return tokenizer.error();
  if (tokenizer->vocab_size() != parts.config.vocab_size) {
    return Error{fmt::format("{}: the tokenizer has {} tokens, but config.json says vocab_size {}", parts.path,
                             tokenizer->vocab_size(), parts.config.vocab_size)};
  }
  Result<std::unique_ptr<engram::FileRows>> rows =
      engram::FileRows::open(parts.engram_tables, parts.config.engram.head_dim);
  if (!rows) return rows.error();
  std::unique_ptr<const model::Arithmetic> arithmetic = make_arithmetic(kind, parts.config);
  return std::unique_ptr<OpenModel>(new OpenModel{std::move(parts.path),
                                                  model::Model{std::move(parts.config), std::move(parts.weights),
                                                               std::move(parts.engram_constants), std::move(*rows)},
                                                  std::move(arithmetic), std::move(*tokenizer)});
}

// The drafter of a file of its own, packed or in GGUF form (then packed in memory); nothing where none is named.
Result<std::optional<formats::PackedFile>> open_drafter(const std::string& path, const model::Config& config) {
  using MaybeFile = std::optional<formats::PackedFile>;
  if (path.empty()) return MaybeFile();
  if (config.draft.n_stages == 0) return Error{path + ": the model's configuration has no drafter"};
  if (is_gguf(path)) {
    const Result<convert::GgufModel> gguf = convert::open_gguf_drafter(path, config);
    if (!gguf) return gguf.error();
    Result<convert::PackedModel> packed = convert::convert_to_memory(*gguf, {});
    if (!packed) return packed.error();
    return MaybeFile(std::move(packed->weights));
  }
  Result<formats::PackedFile> file = formats::PackedFile::open(path);
  if (!file) return file.error();
  if (!model::is_packed_drafter(*file)) {
    return Error{path + ": this is a model, not a drafter's file; convert --only-draft makes one"};
  }
  const Result<model::Config> own = model::parse_config(file->config_json(), path + ", config.json");
  if (!own) return own.error();
  if (Status same = model::check_same_drafter(config, *own, path); !same) return same.error();
  return MaybeFile(*std::move(file));
}

Result<std::unique_ptr<OpenModel>> open_packed(const std::string& path, const std::string& draft_path,
                                               ArithmeticKind kind) {
  if (kind != ArithmeticKind::kA1) {
    return Error{path +
                 ": REF and plain read the official checkpoint's own weights; name its folder, not a packed file"};
  }
  Result<formats::PackedFile> file = formats::PackedFile::open(path);
  if (!file) return file.error();
  if (model::is_packed_drafter(*file)) {
    return Error{path + ": this is a drafter; name it with --draft-model, beside the model's file"};
  }
  Parts parts{.path = path, .tokenizer_json = file->tokenizer_json()};
  Result<model::Config> config = model::parse_config(file->config_json(), path + ", config.json");
  if (!config) return config.error();
  parts.config = std::move(*config);
  const engram::EngramShape shape = model::engram_shape(parts.config);
  if (!shape.layer_ids.empty()) {
    Result<engram::EngramConstants> constants =
        engram::parse_engram_constants(file->engram_json(), path + ", engram.json", shape);
    if (!constants) return constants.error();
    parts.engram_constants = std::move(*constants);
    Result<formats::EngramFile> rows = convert::open_rows_of(path);
    if (!rows) return rows.error();
    Result<std::vector<engram::TableSource>> tables = engram::table_sources(*rows, shape);
    if (!tables) return tables.error();
    parts.engram_tables = std::move(*tables);
  }
  Result<std::optional<formats::PackedFile>> draft = open_drafter(draft_path, parts.config);
  if (!draft) return draft.error();
  Result<model::Weights> weights = model::load_packed_weights(parts.config, *file, *std::move(draft));
  if (!weights) return weights.error();
  parts.weights = std::move(*weights);
  return assemble(std::move(parts), kind);
}

// The weights of an official checkpoint: its own for the reference arithmetics, packed in memory for A1.
Result<model::Weights> checkpoint_weights(const convert::CheckpointFolder& folder, const std::string& draft_path,
                                          ArithmeticKind kind) {
  if (kind != ArithmeticKind::kA1) return model::load_checkpoint_weights(folder.config, folder.checkpoint);
  if (folder.payload_bytes >= kPackInMemoryBytes) {
    return Error{fmt::format(
        "{}: this checkpoint of {:.1f} GB must be converted once before it can run; type: bolide convert {} {}/model{}",
        folder.path, static_cast<double>(folder.payload_bytes) * 1e-9, folder.path, folder.path,
        convert::kPackedExtension)};
  }
  Result<convert::PackedModel> packed = convert::convert_to_memory(folder, {});
  if (!packed) return packed.error();
  Result<std::optional<formats::PackedFile>> draft = open_drafter(draft_path, folder.config);
  if (!draft) return draft.error();
  return model::load_packed_weights(folder.config, packed->weights, *std::move(draft));
}

Result<std::unique_ptr<OpenModel>> open_checkpoint(const std::string& path, const std::string& draft_path,
                                                   ArithmeticKind kind) {
  Result<convert::CheckpointFolder> folder = convert::open_checkpoint_folder(path);
  if (!folder) return folder.error();
  Result<model::Weights> weights = checkpoint_weights(*folder, draft_path, kind);
  if (!weights) return weights.error();
  return assemble(
      {path, folder->config, std::move(*weights), folder->engram, folder->engram_tables, folder->documents.tokenizer},
      kind);
}

// What packed weights may take of the machine's memory: three quarters, the rest is the sessions' and the system's.
u64 memory_for_weights() {
  return static_cast<u64>(sysconf(_SC_PHYS_PAGES)) * static_cast<u64>(sysconf(_SC_PAGE_SIZE)) / 4 * 3;
}

Result<model::Weights> gguf_weights(const convert::GgufModel& model, const std::string& packed_drafter) {
  const Result<convert::PackInput> input = convert::pack_input(model, {});
  if (!input) return input.error();
  const Result<u64> bytes = convert::packed_bytes(*input);
  if (!bytes) return bytes.error();
  if (*bytes > memory_for_weights()) {
    return Error{fmt::format(
        "{}: its weights take {:.1f} GB when they are opened directly, this machine has memory for {:.1f} GB of them; "
        "convert the file once, then it is mapped; type: bolide convert {} {}{}{}",
        model.path, static_cast<double>(*bytes) * 1e-9, static_cast<double>(memory_for_weights()) * 1e-9, model.path,
        fs::path(model.path).stem().string(), convert::kPackedExtension,
        model.draft == nullptr ? "" : " --draft-model " + model.draft->path())};
  }
  const Result<convert::PackedModel> packed = convert::pack_to_memory(*input, {});
  if (!packed) return packed.error();
  Result<std::optional<formats::PackedFile>> draft = open_drafter(packed_drafter, model.config);
  if (!draft) return draft.error();
  return model::load_packed_weights(model.config, packed->weights, *std::move(draft));
}

Result<std::unique_ptr<OpenModel>> open_gguf(const std::string& path, const std::string& draft_path,
                                             ArithmeticKind kind) {
  if (kind != ArithmeticKind::kA1) {
    return Error{path + ": REF and plain read the official checkpoint's own weights; name its folder, not a GGUF"};
  }
  const bool is_pair = is_gguf(draft_path);
  Result<convert::GgufModel> model = convert::open_gguf_model(path, is_pair ? draft_path : "");
  if (!model) return model.error();
  Result<model::Weights> weights = gguf_weights(*model, is_pair ? "" : draft_path);
  if (!weights) return weights.error();
  return assemble({path, model->config, *std::move(weights), std::move(model->engram), std::move(model->engram_tables),
                   model->documents.tokenizer},
                  kind);
}

// The packed files in a folder, by name.
std::vector<std::string> packed_files_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
    if (entry->path().extension() == convert::kPackedExtension) found.push_back(entry->path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

Result<std::string> default_model_path() {
  if (const char* named = std::getenv("BOLIDE_MODEL"); named != nullptr && *named != '\0') return std::string(named);
  std::vector<fs::path> places = {fs::path("models") / "nano"};
  std::error_code code;
  if (const fs::path program = fs::read_symlink("/proc/self/exe", code); !code) {
    places.push_back(program.parent_path() / ".." / ".." / "models" / "nano");  // build/<preset>/bolide
  }
  for (const fs::path& place : places) {
    if (fs::is_directory(place, code)) return place.lexically_normal().string();
  }
  return Error{"no model was named and models/nano is not here; name one with --model or in $BOLIDE_MODEL"};
}

Result<std::optional<std::string>> find_packed_file(const std::string& path) {
  std::error_code code;
  if (!fs::exists(path, code))
    return Error{path + ": there is no such file or folder; a model is a packed file, a GGUF or a folder"};
  if (!fs::is_directory(path, code)) return std::optional(path);
  std::vector<std::string> packed = packed_files_in(path);
  if (packed.empty()) return std::optional<std::string>();
  if (packed.size() == 1) return std::optional(std::move(packed[0]));
  return Error{
      fmt::format("{}: this folder has several packed files ({}); name one of them", path, fmt::join(packed, ", "))};
}

bool is_gguf(std::string_view path) {
  return path.ends_with(convert::kGgufExtension);
}

Result<std::unique_ptr<OpenModel>> open_model(const std::string& path, ArithmeticKind arithmetic,
                                              const std::string& draft_path) {
  if (is_gguf(path)) return open_gguf(path, draft_path, arithmetic);
  if (arithmetic != ArithmeticKind::kA1 && !draft_path.empty()) {
    return Error{draft_path + ": REF and plain read the official checkpoint's own drafter; a file of its own is A1's"};
  }
  std::error_code code;
  if (arithmetic != ArithmeticKind::kA1 && fs::is_directory(path, code)) return open_checkpoint(path, "", arithmetic);
  Result<std::optional<std::string>> packed = find_packed_file(path);
  if (!packed) return packed.error();
  return *packed ? open_packed(**packed, draft_path, arithmetic) : open_checkpoint(path, draft_path, arithmetic);
}

}  // namespace bolide::engine
