// The Engram rows that belong to a packed file.
#pragma once
#include <string>

#include "formats/engram_file.h"

namespace bolide::convert {

// Opens the file beside it, or what that links to; an error that says what is missing and where it should be.
Result<formats::EngramFile> open_rows_of(const std::string& packed_path);

}  // namespace bolide::convert
