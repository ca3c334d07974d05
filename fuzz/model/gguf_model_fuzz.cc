// The input is a GGUF file, whose metadata are read as a model's: configuration, tokenizer and Engram constants.
#include "formats/gguf_file.h"
#include "model/gguf_config.h"
#include "model/gguf_engram.h"
#include "model/gguf_tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bolide;
  const Result<formats::GgufFile> file = formats::GgufFile::from_memory("fuzz", std::as_bytes(std::span(data, size)));
  if (!file) return 0;
  (void)model::gguf_tokenizer_json(*file);
  const Result<std::string> json = model::gguf_config_json(*file, &*file);
  if (!json) return 0;
  const Result<model::Config> config = model::parse_config(*json, "fuzz");
  if (!config) return 0;
  (void)model::check_draft_keys(*config, *file);
  (void)model::gguf_engram_json(config->engram, *file);
  return 0;
}
