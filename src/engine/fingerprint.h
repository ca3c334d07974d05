// The hashes that identify a computation (design: interfaces.md, Session state), as `hash` prints them and the goldens
// hold them.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
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

class Timeline;

// Feeds what `timeline` does not have yet of `ids`, in chunks, and fingerprints it there. The timeline's tokens begin
// `ids`.
Result<Fingerprint> advance_to(Timeline& timeline, std::span<const u32> ids, u64 chunk, bool with_streams);

}  // namespace bolide::engine
