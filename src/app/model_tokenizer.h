// The tokenizer of a model, for commands that compute nothing.
#pragma once
#include <string>

#include "base/result.h"
#include "text/tokenizer.h"

namespace bolide::app {

// Of a packed file, a GGUF or a folder; an empty path stands for the default model. Reads no weights.
Result<text::Tokenizer> open_tokenizer(const std::string& model);

}  // namespace bolide::app
