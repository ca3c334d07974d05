// The output of `inspect`.
#pragma once
#include <string>

#include "app/model_summary.h"

namespace bolide::app {

// For a person: configuration, layer roles, tensors by class, Engram tables, bytes read per token. `every_tensor`: also
// a line for each.
std::string text_report(const ModelSummary& summary, bool every_tensor);

// For scripts, one JSON object: path, form ("packed" or "checkpoint"), bytes, layers, tensor_classes, engram_tables,
// vision_bytes, read_per_token, draft_read_per_token, and tensors where `every_tensor`.
std::string json_report(const ModelSummary& summary, bool every_tensor);

}  // namespace bolide::app
