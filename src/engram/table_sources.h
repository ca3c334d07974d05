// Where a model's Engram tables lie, found in the files that may hold them. Errors name the file and the table.
#pragma once
#include "engram/row_store.h"
#include "engram/shape.h"
#include "formats/checkpoint.h"
#include "formats/engram_file.h"

namespace bolide::engram {

// The tables of a `.engram` file; they must be the shape's, in its order.
Result<std::vector<TableSource>> table_sources(const formats::EngramFile& file, const EngramShape& shape);

// One table of an official checkpoint: the tensors of codes (E4M3 [rows, head_dim]) and scales (E8M0 [rows,
// head_dim / 32]).
Result<TableSource> table_source(const formats::Checkpoint& checkpoint, std::string_view codes_name,
                                 std::string_view scales_name, u64 rows, u32 head_dim);

}  // namespace bolide::engram
