#include "app/progress_bar.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

#include "app/text_table.h"

namespace bolide::app {
namespace {

constexpr std::chrono::milliseconds kRedrawInterval(200);
constexpr u64 kWidth = 30;

void draw(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace

ProgressBar::ProgressBar(std::string title)
    : title_(std::move(title)), on_terminal_(isatty(STDERR_FILENO) == 1), start_(Clock::now()), last_(start_) {}

void ProgressBar::show(u64 done_bytes, u64 total_bytes) {
  const Clock::time_point now = Clock::now();
  if (!on_terminal_ || total_bytes == 0 || (now - last_ < kRedrawInterval && done_bytes < total_bytes)) return;
  last_ = now;
  drawn_ = true;
  const double part = std::min(1.0, static_cast<double>(done_bytes) / static_cast<double>(total_bytes));
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const auto filled = static_cast<u64>(part * static_cast<double>(kWidth));
  const double rest = part > 0 ? seconds * (1 - part) / part : 0;
  draw(fmt::format("\r{} [{}{}] {:3.0f} %  {} of {}  {:.0f} s left\x1b[K", title_, std::string(filled, '='),
                   std::string(kWidth - filled, ' '), 100 * part, readable_bytes(done_bytes),
                   readable_bytes(total_bytes), rest));
}

void ProgressBar::finish() {
  if (drawn_) draw("\n");
  drawn_ = false;
}

}  // namespace bolide::app
