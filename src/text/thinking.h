// Parts the model's output into reasoning and answer, for showing them differently. Tool calls are not looked for here.
#pragma once
#include <optional>
#include <string>

#include "text/stream_decoder.h"
#include "text/tokenizer.h"

namespace bolide::text {

// A piece of output that can be shown: whole characters of one channel, maybe none.
struct OutputPiece {
  enum class Channel { kReasoning, kAnswer };
  Channel channel;
  std::string text;
};

// Reads the tokens that follow the prompt, one by one. The tags <think> and </think> themselves are no output: the
// closing one ends the reasoning, any other is dropped (prompt-format.md 8.2). Only the real tokens count, not their
// text. Refers to the tokenizer, which must outlive it. For one thread.
class ThinkingSplitter {
 public:
  // `thinking`: the prompt ended in <think>, so the output starts with reasoning.
  ThinkingSplitter(const Tokenizer& tokenizer, bool thinking);

  OutputPiece push(u32 id);
  // The end of the output: what is left of an unfinished character.
  OutputPiece finish();

 private:
  StreamDecoder decoder_;
  OutputPiece::Channel channel_;
  std::optional<u32> open_tag_;
  std::optional<u32> close_tag_;
};

}  // namespace bolide::text
