// Which token follows: position-keyed sampling (design: arithmetic.md rule 8, interfaces.md Sampler). Host only, pure
// functions.
#pragma once
#include <span>

#include "base/result.h"
#include "base/types.h"

namespace bolide::session {

// Order of effect: mask, / temperature, top-k, top-p, min-p, noise, argmax.
struct Sampling {
  float temperature = 1.0f;  // 0: greedy
  u32 top_k = 0;             // 0: no limit
  float top_p = 1.0f;        // in (0, 1]
  float min_p = 0.0f;        // in [0, 1]
  u64 seed = 0;
};

// Names the parameter that is out of range.
Status check_sampling(const Sampling& sampling);

// The token at `position` of the session's token list, given the finite logits of the whole vocabulary. `allowed`: bit
// i % 64 of word i / 64 says whether id i may come, at least one may; empty: every id may.
u32 sample(std::span<const float> logits, const Sampling& sampling, u64 position, std::span<const u64> allowed = {});

}  // namespace bolide::session
