// The hashes that identify a computation (design: interfaces.md, Session state), as `hash` prints them and the goldens
// hold them.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/sha256.h"

namespace bolide::engine {

// Of the greedy draft block after the argmax.
struct DraftFingerprint {
  std::vector<u32> ids;
  std::vector<u32> confidence_bits;  // binary32
  Sha256Digest logits;               // the block's rows of base plus Markov logits
  Sha256Digest state;                // draft hash
  Sha256Digest taps;
};

// After `tokens` tokens.
struct Fingerprint {
  u64 tokens = 0;
  Sha256Digest state;
  Sha256Digest logits;  // of the last position
  u32 argmax = 0;
  std::optional<DraftFingerprint> draft;  // with a drafter
  std::vector<std::pair<std::string, Sha256Digest>>
      streams;  // of the last position, after every sub-block; if asked for
};

}  // namespace bolide::engine
