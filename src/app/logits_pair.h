// The logits of two engines for the same tokens, side by side, in bounded memory.
#pragma once
#include <functional>
#include <span>

#include "engine/engine.h"

namespace bolide::app {

using PairSink = std::function<void(u64 position, std::span<const float> first, std::span<const float> second)>;

// Feeds `ids` to both engines at the same time and hands over the logits after every position, ascending; the faster
// engine waits for the slower one. The vocabularies are equally large. `sink` is called by one thread at a time.
Status evaluate_pair(engine::Engine& first, engine::Engine& second, std::span<const u32> ids, const PairSink& sink);

}  // namespace bolide::app
