// The constraint of a whole answer: reasoning first, which is free, then what the request asks for, then the end token
// (prompt-format.md 8.6).
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "text/constrain/json_schema.h"
#include "text/constrain/vocabulary.h"
#include "text/json.h"
#include "text/token_constraint.h"

namespace bolide::text {

enum class CallChoice : u8 {
  kNone,      // no call
  kAuto,      // the model decides; a call is constrained from its opener on
  kRequired,  // at least one call and nothing else
};

struct OutputFormat {
  // The answer's JSON Schema; `true` stands for any JSON object (JSON mode). None: text.
  std::optional<Json> schema;
  // What may be called: function objects with qualified names (text/message.h, read_tool()); of a named tool choice
  // that tool alone.
  std::vector<Json> tools;
  CallChoice calls = CallChoice::kAuto;
  bool parallel_calls = true;
};

struct TokenIds {
  u32 end_think;
  std::optional<u32> dsml;
  u32 end;  // of the answer
};

// What a tokenizer has of them; nothing if a token is missing that the prompt format needs.
std::optional<TokenIds> constraint_tokens(const Tokenizer& tokenizer);

struct CompiledConstraint {
  // Null where nothing is constrained.
  std::unique_ptr<TokenConstraint> constraint;
  // Parts of tool schemas that are not enforced: any JSON may stand there.
  std::vector<std::string> free;
};

// Fails, naming the place, for a response schema that a grammar cannot hold. `thinking`: the answer begins with
// reasoning.
Result<CompiledConstraint> constrain_output(const OutputFormat& format, bool thinking, const TokenIds& tokens,
                                            std::shared_ptr<const Vocabulary> vocabulary);

}  // namespace bolide::text
