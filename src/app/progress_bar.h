// A progress bar on stderr for long commands; nothing where stderr is no terminal.
#pragma once
#include <chrono>
#include <string>

#include "base/types.h"

namespace bolide::app {

class ProgressBar {
 public:
  explicit ProgressBar(std::string title);

  // Redraws the line, a few times a second at most. One thread at a time.
  void show(u64 done_bytes, u64 total_bytes);
  // Ends the line, if there is one.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  std::string title_;
  bool on_terminal_;
  bool drawn_ = false;
  Clock::time_point start_;
  Clock::time_point last_;
};

}  // namespace bolide::app
