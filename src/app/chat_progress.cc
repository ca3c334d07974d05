#include "app/chat_progress.h"

#include <fmt/format.h>
#include <utility>

namespace bolide::app {
namespace {

constexpr double kQuietSeconds = 1;  // a prompt that is read within this time needs no word
constexpr std::string_view kBackToEmptyLine = "\r\x1b[K";

}  // namespace

std::string PrefillProgress::show(u64 done, u64 total) {
  if (!std::exchange(begun_, true)) known_before_ = done;
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  if (seconds < kQuietSeconds || done <= known_before_ || total == 0) return {};
  shown_ = true;
  const double left = seconds * static_cast<double>(total - done) / static_cast<double>(done - known_before_);
  return std::string(kBackToEmptyLine) +
         dimmed(fmt::format("reading the prompt: {} of {} tokens, {:.0f} s left", done, total, left), style_);
}

std::string PrefillProgress::hide() {
  return std::exchange(shown_, false) ? std::string(kBackToEmptyLine) : std::string();
}

std::string answer_statistics(const engine::RequestStatistics& statistics, const session::Sampling& sampling) {
  std::string line = fmt::format("{} token{}", statistics.new_tokens, statistics.new_tokens == 1 ? "" : "s");
  if (statistics.decode_seconds > 0 && statistics.new_tokens > 0) {
    line += fmt::format(", {:.0f} tokens/s", static_cast<double>(statistics.new_tokens) / statistics.decode_seconds);
  }
  line += fmt::format("; prompt {} tokens, {} reused", statistics.prompt_tokens, statistics.reused_tokens);
  if (sampling.temperature > 0) line += fmt::format("; seed {}", sampling.seed);
  return line;
}

}  // namespace bolide::app
