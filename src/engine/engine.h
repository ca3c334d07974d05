// The front door: open a model, submit token ids with a sink, cancel. Another front end needs nothing else.
//
// The engine thread owns the sessions; every function may be called from any thread. Requests are computed in the order
// of submission; the tokens of the last one are kept, so that a request that begins with them computes only what is
// new.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/fingerprint.h"
#include "engine/model_files.h"
#include "engine/request.h"

namespace bolide::engine {

struct EngineOptions {
  std::string model_path;
  std::string draft_path;  // a drafter's file, packed or GGUF; empty: none
  ArithmeticKind arithmetic = ArithmeticKind::kA1;
  u64 context = 0;         // tokens of a session; 0: the model's maximum, or what fits into memory
  u64 prefill_chunk = 64;  // tokens computed together; changes no bit. A cancel is seen between chunks
};

class Engine {
 public:
  static Result<std::unique_ptr<Engine>> open(const EngineOptions& options);
  // Cancels what is running or waiting.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const std::string& model_path() const;
  const model::Config& config() const;
  const text::Tokenizer& tokenizer() const;
  // Tokens that a prompt and its answer may have together.
  u64 context() const;

  // Queues a request. `sink` lives until finished() was called. A request that cannot be computed (an empty prompt, an
  // id outside the vocabulary, a prompt that does not fit) is refused here, with the numbers.
  Result<RequestId> submit(Request request, std::shared_ptr<TokenSink> sink);
  // The request ends soon with kCancelled; one that has ended already is left alone.
  void cancel(RequestId id);

  // Feeds `ids` from the start and hands over the logits after every position >= first_position. Waits for its turn.
  // `sink` may return false to stop early.
  using LogitsSink = std::function<bool(u64 position, std::span<const float> logits)>;
  Status evaluate(std::span<const u32> ids, u64 first_position, const LogitsSink& sink);

  // Fingerprints after the first P of `ids`, for every P of `at` (ascending, each from 1 to ids.size()).
  Result<std::vector<Fingerprint>> fingerprints(std::span<const u32> ids, std::span<const u64> at, bool with_streams);

 private:
  struct Core;
  explicit Engine(std::unique_ptr<Core> core);
  std::unique_ptr<Core> core_;
};

}  // namespace bolide::engine
