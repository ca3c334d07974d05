// Opening what `--model` names (design: interfaces.md, Commands): a packed file, a GGUF, or a folder with a packed file
// or with the official checkpoint.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

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

// What a path that --model may name has of packed weights: itself where it is a file, the only packed file of a folder,
// or nothing where the folder has none, which is then an official checkpoint's. Two of them are an error.
Result<std::optional<std::string>> find_packed_file(const std::string& path);

// Whether a path names a GGUF: it ends in .gguf.
bool is_gguf(std::string_view path);

// A1 computes on packed weights: a folder's official checkpoint is packed in memory where it is smaller than 2 GB, a
// GGUF where it fits (its Engram rows stay in the file); else they are refused with the `convert` command to type. REF
// and plain need the official checkpoint. `draft_path`: a drafter's file, packed or GGUF, or nothing.
Result<std::unique_ptr<OpenModel>> open_model(const std::string& path, ArithmeticKind arithmetic,
                                              const std::string& draft_path = {});

}  // namespace bolide::engine
