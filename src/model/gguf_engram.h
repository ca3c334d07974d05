// The constants of the Engram hash in the metadata of ds4's GGUF files, both ways (spec model.md 2.2).
#pragma once
#include <string>

#include "base/result.h"
#include "engram/constants.h"
#include "formats/gguf_file.h"
#include "formats/gguf_writer.h"
#include "model/config.h"

namespace bolide::model {

// An engram.json for parse_engram_constants(), which checks its numbers, made of the keys deepseek41.engram.*. Refuses
// tables whose rows are encoded otherwise than here: E4M3 codes, then their E8M0 scales.
Result<std::string> gguf_engram_json(const EngramConfig& config, const formats::GgufFile& file);

// The keys that gguf_engram_json() reads.
void add_engram_keys(const EngramConfig& config, const engram::EngramConstants& constants,
                     formats::GgufMetadata& metadata);

}  // namespace bolide::model
