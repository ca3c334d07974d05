#include "engine/fingerprint.h"

#include <algorithm>

#include "arith/bf16.h"
#include "engine/timeline.h"
#include "model/selection.h"

namespace bolide::engine {
namespace {

// Keeps the logits and, if asked for, the stream hashes of one position.
class LastPosition : public model::StepObserver {
 public:
  LastPosition(u64 position, bool with_streams) : position_(position), with_streams_(with_streams) {}

  bool wants_logits(u64 position) override { return position == position_; }
  void logits(u64, std::span<const float> values) override { logits_.assign(values.begin(), values.end()); }
  void streams(std::string_view sub_block, u64 position, std::span<const float> values) override {
    if (!with_streams_ || position != position_) return;
    Sha256 hash;
    for (const float value : values) hash.update_number(arith::bf16_code(value));
    streams_.emplace_back(sub_block, hash.finish());
  }

  std::span<const float> last_logits() const { return logits_; }
  std::vector<std::pair<std::string, Sha256Digest>> take_streams() { return std::move(streams_); }

 private:
  u64 position_;
  bool with_streams_;
  std::vector<float> logits_;
  std::vector<std::pair<std::string, Sha256Digest>> streams_;
};

Sha256Digest hash_of(std::span<const float> values) {
  return sha256(std::as_bytes(values));
}

Result<DraftFingerprint> draft_fingerprint(const Timeline& timeline, u32 anchor) {
  Result<model::DraftBlock> block = timeline.forward().draft(timeline.state(), anchor);
  if (!block) return block.error();
  DraftFingerprint draft{
      block->ids, {}, hash_of(block->logits), model::draft_hash(timeline.state()), model::taps_hash(timeline.state())};
  for (const float value : block->confidence) draft.confidence_bits.push_back(dialect::bits(value));
  return draft;
}

}  // namespace

Result<Fingerprint> advance_to(Timeline& timeline, std::span<const u32> ids, u64 chunk, bool with_streams) {
  LastPosition last(ids.size() - 1, with_streams);
  while (timeline.position() < ids.size()) {
    const std::span<const u32> rest = ids.subspan(timeline.position());
    if (Status status = timeline.feed(rest.first(std::min<u64>(chunk, rest.size())), last); !status)
      return status.error();
  }
  Fingerprint result;
  result.tokens = ids.size();
  result.state = timeline.forward().state_hash(timeline.state());
  result.logits = hash_of(last.last_logits());
  result.argmax = model::argmax(last.last_logits());
  result.streams = last.take_streams();
  if (timeline.has_drafter()) {
    Result<DraftFingerprint> draft = draft_fingerprint(timeline, result.argmax);
    if (!draft) return draft.error();
    result.draft = std::move(*draft);
  }
  return result;
}

}  // namespace bolide::engine
