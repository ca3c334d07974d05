// A progress line on stderr for work that takes a while: how much, how fast, how long still.
#pragma once
#include <chrono>
#include <string>
#include <string_view>

#include "base/types.h"

namespace bolide {

// "1.5 GB": decimal units, as disks and downloads count.
std::string byte_text(u64 bytes);

// "45 s", "12 min 05 s", "3 h 20 min".
std::string duration_text(double seconds);

// One line, no colours, cut to 99 characters:
//     Converting  [=======>            ]  37 %  112.1 GB of 298.8 GB  1.2 GB/s  2 min 35 s left
std::string progress_text(std::string_view what, u64 done_bytes, u64 total_bytes, double seconds);

// Redraws one line in place, a few times a second. Writes nothing where stderr is no terminal, so logs stay clean.
// Used by one thread at a time.
class ProgressLine {
 public:
  explicit ProgressLine(std::string what);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine(ProgressLine&&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ProgressLine& operator=(ProgressLine&&) = delete;
  ~ProgressLine();  // wipes the line

  void update(u64 done_bytes, u64 total_bytes);

 private:
  using Clock = std::chrono::steady_clock;

  std::string what_;
  bool on_terminal_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_;
};

}  // namespace bolide
