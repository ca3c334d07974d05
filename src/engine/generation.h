// Computes one request on a timeline: prefill in chunks, then token after token. Internal to room engine.
#pragma once
#include <atomic>
#include <memory>

#include "engine/request.h"
#include "engine/timeline.h"

namespace bolide::engine {

// A submitted request on its way.
struct Ticket {
  RequestId id;
  Request request;
  std::shared_ptr<TokenSink> sink;
  std::atomic<bool> cancelled = false;
};

struct GenerationLimits {
  u64 context;
  u64 prefill_chunk;
};

// Calls the ticket's sink to the end, finished() included.
void generate(Ticket& ticket, Timeline& timeline, const GenerationLimits& limits, u32 vocab_size);

}  // namespace bolide::engine
