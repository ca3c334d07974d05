#include "app/chat_progress.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "app/text_table.h"

namespace bolide::app {
namespace {

constexpr double kQuietSeconds = 1;  // a prompt that is read within this time needs no word
constexpr std::string_view kBackToEmptyLine = "\r\x1b[K";

std::string readable_seconds(double seconds) {
  return seconds < 120 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.0f} min", seconds / 60);
}

}  // namespace

std::string prefill_bar(u64 done, u64 total, double seconds_left, std::size_t columns) {
  constexpr std::string_view kTitle = "reading the prompt ";
  constexpr std::size_t kWidest = 30;
  constexpr std::size_t kNarrowest = 5;
  std::string numbers =
      fmt::format("{} of {} tokens, {} left", grouped(done), grouped(total), readable_seconds(seconds_left));
  // A full row would move the cursor on.
  const std::size_t room = columns > 0 ? columns - 1 : 0;
  const std::size_t taken = kTitle.size() + std::string_view("[] ").size() + numbers.size();
  if (room < taken + kNarrowest) return numbers.substr(0, room);
  const std::size_t width = std::min(kWidest, room - taken);
  const auto filled = static_cast<std::size_t>(width * done / std::max<u64>(total, 1));
  return fmt::format("{}[{}{}] {}", kTitle, std::string(filled, '='), std::string(width - filled, ' '), numbers);
}

std::string PrefillProgress::show(u64 done, u64 total, std::size_t columns) {
  if (!std::exchange(begun_, true)) known_before_ = done;
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  if (seconds < kQuietSeconds || done <= known_before_ || total == 0) return {};
  shown_ = true;
  const double left = seconds * static_cast<double>(total - done) / static_cast<double>(done - known_before_);
  return std::string(kBackToEmptyLine) + dimmed(prefill_bar(done, total, left, columns), style_);
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
