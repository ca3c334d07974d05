#include "engine/generation.h"

#include <algorithm>
#include <chrono>

namespace bolide::engine {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Generation {
 public:
  Generation(Ticket& ticket, Timeline& timeline, const GenerationLimits& limits, u32 vocab_size)
      : ticket_(ticket), timeline_(timeline), limits_(limits), logits_(vocab_size) {}

  Outcome run() {
    statistics().prompt_tokens = ticket_.request.prompt.size();
    if (prefill()) decode();
    return outcome_;
  }

 private:
  RequestStatistics& statistics() { return outcome_.statistics; }

  // Both give false when the request ends here.
  bool end(FinishReason reason) {
    outcome_.reason = reason;
    return false;
  }
  bool feed(std::span<const u32> ids, std::span<float> logits) {
    if (ticket_.cancelled) return end(FinishReason::kCancelled);
    if (Status status = timeline_.feed(ids, logits); !status) {
      outcome_.problem = status.error().message;
      return end(FinishReason::kFailed);
    }
    return true;
  }

  bool prefill() {
    const Clock::time_point start = Clock::now();
    const std::span<const u32> prompt = ticket_.request.prompt;
    u64 done = timeline_.seek(prompt);
    statistics().reused_tokens = done;
    bool going_on = true;
    while (going_on && done < prompt.size()) {
      ticket_.sink->prefill_progress(done, prompt.size());
      const u64 n = std::min(limits_.prefill_chunk, prompt.size() - done);
      const bool last = done + n == prompt.size();
      going_on = feed(prompt.subspan(done, n), last ? std::span<float>(logits_) : std::span<float>());
      done += n;
    }
    if (going_on) ticket_.sink->prefill_progress(done, prompt.size());
    statistics().prefill_seconds = seconds_since(start);
    return going_on;
  }

  void decode() {
    const Clock::time_point start = Clock::now();
    while (next_token()) {
    }
    statistics().decode_seconds = seconds_since(start);
  }

  // What the request's constraints leave; empty where they restrict nothing, which costs nothing.
  std::span<const u64> allowed_tokens() {
    bool restricted = false;
    for (const auto& constraint : ticket_.request.constraints) {
      if (!constraint->restricts()) continue;
      if (!restricted) allow_whole_vocabulary();
      restricted = true;
      constraint->exclude(allowed_);
    }
    return restricted ? std::span<const u64>(allowed_) : std::span<const u64>();
  }
  void allow_whole_vocabulary() {
    allowed_.assign((logits_.size() + 63) / 64, ~u64{0});
    if (logits_.size() % 64 != 0) allowed_.back() >>= 64 - logits_.size() % 64;
  }

  // Chooses and reports one token, and feeds it if another will follow.
  bool next_token() {
    const Request& request = ticket_.request;
    const u64 position = timeline_.position();
    if (ticket_.cancelled) return end(FinishReason::kCancelled);
    if (statistics().new_tokens == request.max_tokens || position == limits_.context) return end(FinishReason::kLength);
    const u32 id = session::sample(logits_, request.sampling, position, allowed_tokens());
    for (const auto& constraint : request.constraints) constraint->accept(id);
    ++statistics().new_tokens;
    ticket_.sink->token(id);
    if (std::find(request.end_tokens.begin(), request.end_tokens.end(), id) != request.end_tokens.end()) {
      return end(FinishReason::kEnd);
    }
    if (statistics().new_tokens == request.max_tokens) return end(FinishReason::kLength);
    return feed(std::span(&id, 1), logits_);
  }

  Ticket& ticket_;
  Timeline& timeline_;
  const GenerationLimits& limits_;
  std::vector<float> logits_;
  std::vector<u64> allowed_;
  Outcome outcome_;
};

}  // namespace

void generate(Ticket& ticket, Timeline& timeline, const GenerationLimits& limits, u32 vocab_size) {
  ticket.sink->finished(Generation(ticket, timeline, limits, vocab_size).run());
}

}  // namespace bolide::engine
