// Feeding a prompt whole, in chunks, or token by token gives the same bits (pitfalls B36, B37).
#include "nano_checkpoint.h"

#include "base/sha256.h"
#include "model/reference/reference_arithmetic.h"

namespace bolide::model {
namespace {

// Hashes of everything that a run leaves behind.
struct Fingerprint {
  Sha256Digest state;
  Sha256Digest taps;
  Sha256Digest draft_rings;
  Sha256Digest logits;  // after every position
  std::vector<u32> draft;
  bool operator==(const Fingerprint&) const = default;
};

class LogitsHash : public StepObserver {
 public:
  bool wants_logits(u64) override { return true; }
  void logits(u64, std::span<const float> logits) override { hash_.update(std::as_bytes(logits)); }
  Sha256Digest digest() { return hash_.finish(); }

 private:
  Sha256 hash_;
};

Fingerprint run(u64 chunk) {
  const Model& model = nano_checkpoint();
  const ReferenceArithmetic ref(model.config, ReferenceMode::kRef);
  const Forward forward(model, ref);
  const std::vector<u32> tokens = Golden("code1500").ids("token_ids");
  State state(model.config);
  LogitsHash logits;
  while (state.position() < kChunkedTokens) {
    const u64 n = std::min(chunk, kChunkedTokens - state.position());
    const Status fed = forward.advance(state, std::span(tokens).subspan(state.position(), n), logits);
    EXPECT_TRUE(fed) << fed.error().message;
  }
  const Result<DraftBlock> draft = forward.draft(state, tokens[kChunkedTokens]);
  EXPECT_TRUE(draft) << draft.error().message;
  return {forward.state_hash(state), taps_hash(state), draft_hash(state), logits.digest(), draft->ids};
}

TEST(ReferenceChunking, ChunksChangeNoBit) {
  const Fingerprint whole = run(kChunkedTokens);
  EXPECT_EQ(run(7), whole);
  if (test::kSanitized) return;
  EXPECT_EQ(run(1), whole);
}

}  // namespace
}  // namespace bolide::model
