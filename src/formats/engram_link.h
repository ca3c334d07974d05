// A NAME.engram without rows of its own: it says where in another file they lie, in a GGUF or an Engram rows file
// (`convert --engram-from`), so that variants of a model share one table of 203 GB (docs/packed-file.md).
#pragma once
#include <string>

#include "formats/engram_file.h"

namespace bolide::formats {

// Whether a file's beginning is that of a link.
bool is_engram_link(Bytes file);

// The rows that the link at `path`, whose content is `link`, leads to. Refuses a link that is damaged, and rows' files
// that are missing or not the ones that the link was made for (by their size and their first MiB).
Result<EngramFile> open_engram_link(Bytes link, const std::string& path);

// Writes a link at `path` to rows in `rows.path`, which is named relative to the link where both lie in one folder. An
// equal link that is there already is good, too.
Status write_engram_link(const std::string& path, const EngramFile& rows);

}  // namespace bolide::formats
