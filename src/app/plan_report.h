// The output of `inspect --plan`.
#pragma once
#include <string>

#include "ops/ops.h"

namespace bolide::app {

// For a person: sums by kind of operation, then every operation in order.
std::string text_plan(const ops::Plan& plan);

// For scripts, one JSON object: rows, totals {weight_bytes, integer_operations, float_operations}, and ops with kind,
// layer (or null), weight (or null), rows [first, end), in, out, place, and the same three numbers each.
std::string json_plan(const ops::Plan& plan);

}  // namespace bolide::app
