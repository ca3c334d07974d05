// What is told about an answer's computation: the progress of a long prompt, and a line of statistics at the end.
#pragma once
#include <chrono>
#include <string>

#include "app/chat_printer.h"
#include "engine/request.h"

namespace bolide::app {

// A bar that says how much of the prompt was read and how long the rest takes, for prompts that take more than a
// second. Gives bytes to write.
class PrefillProgress {
 public:
  explicit PrefillProgress(TextStyle style) : style_(style), start_(Clock::now()) {}

  // On a terminal of so many columns.
  std::string show(u64 done, u64 total, std::size_t columns);
  std::string hide();

 private:
  using Clock = std::chrono::steady_clock;
  TextStyle style_;
  Clock::time_point start_;
  bool begun_ = false;
  u64 known_before_ = 0;
  bool shown_ = false;
};

// "reading the prompt [======      ] 640 of 1,280 tokens, 3 s left", shorter than `columns`.
std::string prefill_bar(u64 done, u64 total, double seconds_left, std::size_t columns);

// "37 tokens, 81 tokens/s; prompt 120 tokens, 96 reused; seed 5"
std::string answer_statistics(const engine::RequestStatistics& statistics, const session::Sampling& sampling);

}  // namespace bolide::app
