#include "base/progress.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace bolide {
namespace {

constexpr u64 kBarWidth = 20;
constexpr u64 kLineWidth = 99;
constexpr auto kRedrawEvery = std::chrono::milliseconds(200);
constexpr double kSteadyAfterSeconds = 1;  // an earlier rate is guesswork

std::string bar(u64 percent) {
  const u64 filled = percent * kBarWidth / 100;
  std::string text(filled, '=');
  if (filled < kBarWidth) text += '>';
  text.resize(kBarWidth, ' ');
  return text;
}

}  // namespace

std::string byte_text(u64 bytes) {
  constexpr std::array<const char*, 5> kUnits = {"kB", "MB", "GB", "TB", "PB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  for (; value >= 999.95 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string duration_text(double seconds) {
  constexpr double kLongest = 1e9;  // about 30 years
  const auto whole = static_cast<u64>(std::clamp(seconds, 0.0, kLongest) + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string progress_text(std::string_view what, u64 done_bytes, u64 total_bytes, double seconds) {
  const double part = total_bytes == 0 ? 1.0 : static_cast<double>(done_bytes) / static_cast<double>(total_bytes);
  const auto percent = std::min<u64>(static_cast<u64>(part * 100), 100);
  std::string text = fmt::format("{}  [{}] {:3} %  {} of {}", what, bar(percent), percent, byte_text(done_bytes),
                                 byte_text(total_bytes));
  if (seconds >= kSteadyAfterSeconds && done_bytes > 0) {
    const double rate = static_cast<double>(done_bytes) / seconds;
    const double left = static_cast<double>(total_bytes - std::min(done_bytes, total_bytes)) / rate;
    text += fmt::format("  {}/s  {} left", byte_text(static_cast<u64>(rate)), duration_text(left));
  }
  return text.substr(0, kLineWidth);
}

ProgressLine::ProgressLine(std::string what) : what_(std::move(what)), on_terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (drawn_) fmt::print(stderr, "\r{:{}}\r", "", kLineWidth);
}

void ProgressLine::update(u64 done_bytes, u64 total_bytes) {
  const Clock::time_point now = Clock::now();
  if (!on_terminal_ || now < next_) return;
  next_ = now + kRedrawEvery;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  fmt::print(stderr, "\r{:<{}}", progress_text(what_, done_bytes, total_bytes, seconds), kLineWidth);
  std::fflush(stderr);
}

}  // namespace bolide
