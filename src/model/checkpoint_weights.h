// The weights of an official checkpoint as the reference forwards (REF, plain) read them.
#pragma once
#include <memory>

#include "base/result.h"
#include "model/checkpoint_accounting.h"
#include "model/weights.h"

namespace bolide::model {

// Accounts for every tensor (checkpoint_accounting.h), refuses values that are not finite, and fills Weights: quantized
// matrices, embeddings and heads are views into the mapped files (kFp8, kFp4, kBf16), float matrices and vectors are
// decoded copies. The result shares ownership of the checkpoint.
// The Engram tables are accounted for, but neither read nor part of Weights: their rows are read one by one.
Result<Weights> load_checkpoint_weights(const Config& config, std::shared_ptr<const formats::Checkpoint> checkpoint);

}  // namespace bolide::model
