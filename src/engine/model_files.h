// Opening what `--model` names (design: interfaces.md, Commands): a packed file, or a folder with one or with the
// official checkpoint.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "model/arithmetic.h"
#include "model/forward.h"
#include "text/tokenizer.h"

namespace bolide::engine {

enum class ArithmeticKind : u8 { kA1, kRef, kPlain };

// An open model: immutable, shared by all sessions.
struct OpenModel {
  std::string path;  // what was opened
  model::Model model;
  std::unique_ptr<const model::Arithmetic> arithmetic;
  text::Tokenizer tokenizer;
};

// The model used when none is named: $BOLIDE_MODEL, then models/nano in this folder or beside the program.
Result<std::string> default_model_path();

// A1 computes on packed weights: a folder's official checkpoint is packed in memory where it is smaller than 2 GB, else
// refused with the `convert` command to type. REF and plain need the official checkpoint.
Result<std::unique_ptr<OpenModel>> open_model(const std::string& path, ArithmeticKind arithmetic);

}  // namespace bolide::engine
