#include "engine/request.h"

namespace bolide::engine {

std::string_view name(FinishReason reason) {
  switch (reason) {
    case FinishReason::kEnd:
      return "end";
    case FinishReason::kLength:
      return "length";
    case FinishReason::kCancelled:
      return "cancelled";
    case FinishReason::kFailed:
      return "failed";
  }
  return "";
}

void TokenSink::prefill_progress(u64, u64) {}

}  // namespace bolide::engine
