// One answer, as it comes: from the engine's thread to the thread that shows it.
#pragma once
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"

namespace bolide::app {

// Follows an answer, on the thread that called stream_answer().
class AnswerListener {
 public:
  virtual ~AnswerListener() = default;
  // `done` of `total` tokens of the prompt are known.
  virtual void prefill_progress(u64 done, u64 total) = 0;
  // The next tokens; the last one may be an end token.
  virtual void tokens(std::span<const u32> ids) = 0;
  // Waits until `file_descriptor` can be read, or for about a second. False: stop the answer.
  virtual bool wait(int file_descriptor) = 0;
};

// Has the engine answer and tells the listener until the answer ends. An error: the request was refused, or the process
// has no more file descriptors. That the computation failed is said in the outcome.
Result<engine::Outcome> stream_answer(engine::Engine& engine, engine::Request request, AnswerListener& listener);

}  // namespace bolide::app
