#include "app/model_tokenizer.h"

#include <optional>

#include "app/engine_options.h"
#include "engine/model_files.h"
#include "formats/gguf_file.h"
#include "formats/packed_file.h"
#include "model/gguf_tokenizer.h"

namespace bolide::app {

Result<text::Tokenizer> open_tokenizer(const std::string& model) {
  const Result<std::string> path = resolve_model(model);
  if (!path) return path.error();
  if (engine::is_gguf(*path)) {
    const Result<formats::GgufFile> file = formats::GgufFile::open(*path);
    if (!file) return file.error();
    const Result<std::string> json = model::gguf_tokenizer_json(*file);
    if (!json) return json.error();
    return text::Tokenizer::from_json(*json, *path + ", tokenizer in its metadata");
  }
  const Result<std::optional<std::string>> packed = engine::find_packed_file(*path);
  if (!packed) return packed.error();
  if (!*packed) return text::Tokenizer::from_file(*path);
  const Result<formats::PackedFile> file = formats::PackedFile::open(**packed);
  if (!file) return file.error();
  return text::Tokenizer::from_json(file->tokenizer_json(), **packed + ", tokenizer.json");
}

}  // namespace bolide::app
