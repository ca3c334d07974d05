// Synthetic models as the engine's timelines run them, in memory.
#pragma once
#include "convert/synth.h"
#include "engine/model_files.h"
#include "model/oracle/oracle_arithmetic.h"

namespace bolide::test {

// For A1. The options are good.
inline engine::OpenModel open_synth(const convert::SynthOptions& options) {
  const Result<convert::SynthPlan> plan = convert::plan_synth(options);
  check(plan.ok(), "a test names a model that there is");
  Result<model::Model> model = convert::synth_model_in_memory(options);
  check(model.ok(), "a synthetic model is whole");
  Result<text::Tokenizer> tokenizer = text::Tokenizer::from_json(plan->documents.tokenizer, "synthetic tokenizer");
  check(tokenizer.ok(), "a synthetic tokenizer is whole");
  return {options.shape, *std::move(model), std::make_unique<model::OracleArithmetic>(plan->config),
          *std::move(tokenizer)};
}

}  // namespace bolide::test
