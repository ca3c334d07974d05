#include "text/token_parser.h"

#include <algorithm>
#include <utility>

#include "text/chat.h"
#include "text/markers.h"

namespace bolide::text {
namespace {

OutputParserOptions with_control_tokens(OutputParserOptions options) {
  options.control_tokens_apart = true;
  return options;
}

}  // namespace

TokenParser::TokenParser(const Tokenizer& tokenizer, OutputParserOptions options)
    : tokenizer_(&tokenizer),
      think_(tokenizer.find_added_token(kThink)),
      end_think_(tokenizer.find_added_token(kEndThink)),
      end_tokens_(end_tokens(tokenizer)),
      parser_(with_control_tokens(std::move(options))) {}

std::vector<OutputEvent> TokenParser::push(u32 id) {
  if (id == end_think_) return parser_.push_control(ControlToken::kEndThink);
  if (id == think_) return parser_.push_control(ControlToken::kThink);
  if (std::ranges::find(end_tokens_, id) != end_tokens_.end()) return parser_.push_control(ControlToken::kEnd);
  return parser_.push(tokenizer_->token_bytes(id));
}

}  // namespace bolide::text
