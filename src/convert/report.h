// What a conversion did: the data of the closing table that `bolide convert` prints.
#pragma once
#include <string>
#include <vector>

#include "convert/q8_0.h"
#include "model/checkpoint_accounting.h"

namespace bolide::convert {

// One line of the table: all tensors of a class with the same types.
struct ClassReport {
  std::string tensor_class;
  std::string from;  // type in the checkpoint
  std::string to;    // type in the packed file
  u64 tensors = 0;   // of the checkpoint, each expert counted, scales not
  u64 bytes_in = 0;  // scales included
  u64 bytes_out = 0;
};

// A tensor with blocks that Q8_0 is coarse for. Such a tensor is always listed: no block becomes zero silently.
struct SmallBlockReport {
  std::string tensor;
  SmallBlocks small;
};

struct ConvertReport {
  std::vector<ClassReport> classes;  // in the order of first appearance
  std::vector<SmallBlockReport> small_blocks;
  model::SkippedTensors vision;         // known and skipped
  model::SkippedTensors omitted_draft;  // left out on request
};

// Adds one tensor to the line of its class and types.
void add_to_report(ConvertReport& report, const ClassReport& tensor);

// The same for the rows of an Engram table.
void add_engram_to_report(ConvertReport& report, u64 bytes);

}  // namespace bolide::convert
