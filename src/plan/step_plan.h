// The plan of one step of the trunk: which operations, on which rows (spec model.md 3 and 5.3).
#pragma once
#include "formats/weight_type.h"
#include "ops/ops.h"

namespace bolide::plan {

// What the rows of a step are for.
struct StepShape {
  u32 rows = 1;
  // The newest rows whose logits are wanted.
  u32 logits_rows = 1;
  // Of a prefill: layers from D on run only on the rows that the states of the newest `complete_rows` need
  // (interfaces.md: prefill computes as if the logits of the last 4 positions were wanted). 0: every layer runs on
  // every row.
  u32 complete_rows = 0;
  // Routed experts that the rows of the step use together, per layer: a measured or an assumed number, for the cost
  // alone.
  u32 distinct_experts = 0;  // 0: as many as the rows could use
};

// The rows that layer `layer` runs whole, and those of which it makes window rows (the window before the first whole
// one).
struct LayerRows {
  ops::RowRange whole;
  ops::RowRange window;
};
LayerRows layer_rows(const model::Config& config, const StepShape& shape, u32 layer);

// `experts`: the type of the routed experts, MXFP4 or Q4_K, for the cost.
ops::Plan step_plan(const model::Config& config, const StepShape& shape, formats::WeightType experts);

}  // namespace bolide::plan
