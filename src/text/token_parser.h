// The output parser, fed with token ids.
#pragma once
#include <optional>
#include <vector>

#include "text/output_parser.h"
#include "text/tokenizer.h"

namespace bolide::text {

// Tells control tokens from their names written as text: only the tokens end the reasoning or the output. A marker of
// another turn ends the output too (prompt-format.md section 8.3). Refers to the tokenizer, which must outlive it. For
// one thread.
class TokenParser {
 public:
  TokenParser(const Tokenizer& tokenizer, OutputParserOptions options);

  std::vector<OutputEvent> push(u32 id);
  std::vector<OutputEvent> finish(OutputEnd end) { return parser_.finish(end); }

  const OutputParser& output() const { return parser_; }

 private:
  const Tokenizer* tokenizer_;
  std::optional<u32> think_;
  std::optional<u32> end_think_;
  std::vector<u32> end_tokens_;
  OutputParser parser_;
};

}  // namespace bolide::text
