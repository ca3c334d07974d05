// The configuration in the metadata of ds4's GGUF files, both ways (spec model.md 2.2, dspark.md 1.3).
#pragma once
#include <string>

#include "base/result.h"
#include "formats/gguf_file.h"
#include "formats/gguf_writer.h"
#include "model/config.h"

namespace bolide::model {

// A config.json for parse_config(): the text of deepseek41.config where it is there, else one made of the keys
// deepseek41.*, whose names are those of the official config.json. What the keys leave out is taken from elsewhere in
// the files: Engram sizes from deepseek41.engram.* and the tables, the vocabulary's from the tokenizer, the drafter's
// from `draft` (nullptr: none), a vision tower from the tensors.
Result<std::string> gguf_config_json(const formats::GgufFile& target, const formats::GgufFile* draft);

// Whether a drafter file's own keys (deepseek41.dspark.* or dspark.*) say what the target's configuration says: a
// drafter of another checkpoint would only ever propose wrong tokens (pitfalls B52).
Status check_draft_keys(const Config& config, const formats::GgufFile& draft);

// The keys of the fields, for a target file (deepseek41.config, the text, is apart) ...
void add_config_keys(const Config& config, formats::GgufMetadata& metadata);
// ... and for a drafter file.
void add_draft_keys(const Config& config, formats::GgufMetadata& metadata);

}  // namespace bolide::model
