#include "text/thinking.h"

#include <utility>

namespace bolide::text {

ThinkingSplitter::ThinkingSplitter(const Tokenizer& tokenizer, bool thinking)
    : decoder_(tokenizer),
      channel_(thinking ? OutputPiece::Channel::kReasoning : OutputPiece::Channel::kAnswer),
      open_tag_(tokenizer.find_added_token("<think>")),
      close_tag_(tokenizer.find_added_token("</think>")) {}

OutputPiece ThinkingSplitter::push(u32 id) {
  if (id == close_tag_) {
    OutputPiece rest = finish();
    channel_ = OutputPiece::Channel::kAnswer;
    return rest;
  }
  if (id == open_tag_) return {channel_, {}};
  return {channel_, decoder_.push(id)};
}

OutputPiece ThinkingSplitter::finish() {
  return {channel_, decoder_.finish()};
}

}  // namespace bolide::text
