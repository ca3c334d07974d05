#include "app/fingerprint_json.h"

#include <fmt/format.h>
#include <iterator>

#include "app/token_ids.h"

namespace bolide::app {
namespace {

using engine::DraftFingerprint;
using engine::Fingerprint;

std::string format_draft(const DraftFingerprint& draft) {
  std::string confidence;
  for (const u32 bits : draft.confidence_bits)
    confidence += fmt::format("{}\"{:08x}\"", confidence.empty() ? "" : ",", bits);
  return fmt::format(
      R"(,"draft":{},"draft_confidence":[{}],"draft_logits":"{}","draft_state":"{}","taps":"{}")",
      format_token_ids(draft.ids), confidence, to_hex(draft.logits), to_hex(draft.state), to_hex(draft.taps));
}

std::string format_streams(const Fingerprint& fingerprint) {
  std::string streams;
  for (const auto& [sub_block, hash] : fingerprint.streams)
    streams += fmt::format("{}\"{}\":\"{}\"", streams.empty() ? "" : ",", sub_block, to_hex(hash));
  return fmt::format(",\n \"streams_of_last_position\":{{{}}}", streams);
}

std::string format_fingerprint(const Fingerprint& fingerprint) {
  std::string json = fmt::format(R"({{"tokens":{},"logits":"{}","state":"{}","argmax":{})", fingerprint.tokens,
                                 to_hex(fingerprint.logits), to_hex(fingerprint.state), fingerprint.argmax);
  if (fingerprint.draft) json += format_draft(*fingerprint.draft);
  if (!fingerprint.streams.empty()) json += format_streams(fingerprint);
  return json + "}";
}

}  // namespace

std::string format_fingerprints(std::span<const Fingerprint> fingerprints) {
  std::string json = "[";
  for (const Fingerprint& fingerprint : fingerprints)
    json += (json.size() == 1 ? "\n" : ",\n") + format_fingerprint(fingerprint);
  return json + "\n]\n";
}

}  // namespace bolide::app
