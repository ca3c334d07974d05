// The tokenizer in the metadata of ds4's GGUF files, both ways (spec model.md 2.2, 6).
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/gguf_file.h"
#include "formats/gguf_writer.h"
#include "model/config.h"

namespace bolide::model {

// A tokenizer.json for text::Tokenizer, made of the keys tokenizer.ggml.* (model "gpt2", pre "joyai-llm").
//
// GGUF does not say which tokens are matched in raw text (tokenizer.json's added tokens): ds4 marks only those as type
// 3 that are flagged special, and writes role tokens and think tags as ordinary ones. But a base token is always a
// single byte or made by a merge, and an added token never is, so that tells them apart; their names stay as they are.
Result<std::string> gguf_tokenizer_json(const formats::GgufFile& file);

// The keys that gguf_tokenizer_json() reads. Fails where the tokenizer.json has not what they need.
Status add_tokenizer_keys(const Config& config, std::string_view tokenizer_json, formats::GgufMetadata& metadata);

}  // namespace bolide::model
