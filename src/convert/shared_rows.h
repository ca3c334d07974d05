// Engram rows that stay where they are, in a GGUF or a `.engram` file (`convert --engram-from`).
#pragma once
#include <string>

#include "convert/engram_rows.h"
#include "formats/engram_file.h"
#include "model/config.h"

namespace bolide::convert {

// The tables of a model of this configuration in the file at `path`. `own`: the source's own tables, some rows of which
// are compared.
Result<formats::EngramFile> find_shared_rows(const std::string& path, const model::Config& config,
                                             const std::vector<EngramTableRows>& own);

}  // namespace bolide::convert
