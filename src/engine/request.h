// What a front end asks of the engine, and how it is answered.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "session/sampler.h"
#include "text/token_constraint.h"

namespace bolide::engine {

using RequestId = u64;

struct Request {
  std::vector<u32> prompt;  // the whole token list; what the engine already knows of it is not computed again
  u64 max_tokens = 0;       // of the answer; it also ends where the context is full
  session::Sampling sampling;
  // Every one of them restricts what may come next.
  std::vector<std::unique_ptr<text::TokenConstraint>> constraints;
  std::vector<u32> end_tokens;  // any of them ends the answer and is its last token
};

enum class FinishReason : u8 {
  kEnd,        // an end token
  kLength,     // max_tokens, or the context is full
  kCancelled,  // by cancel(), or because the engine is closing
  kFailed,
};

std::string_view name(FinishReason reason);

struct RequestStatistics {
  u64 prompt_tokens = 0;
  u64 reused_tokens = 0;  // of the prompt: known before
  u64 new_tokens = 0;
  double prefill_seconds = 0;
  double decode_seconds = 0;  // from the end of the prefill to the last token
};

struct Outcome {
  FinishReason reason = FinishReason::kEnd;
  std::string problem;  // of kFailed: a sentence for the user
  RequestStatistics statistics;
};

// Told of a request's progress, on the engine's thread; must return soon and must not call the engine but for cancel().
class TokenSink {
 public:
  virtual ~TokenSink() = default;
  // `done` of `total` prompt tokens are known, after each chunk.
  virtual void prefill_progress(u64 done, u64 total);
  virtual void token(u32 id) = 0;
  // Exactly once, last.
  virtual void finished(const Outcome& outcome) = 0;
};

}  // namespace bolide::engine
