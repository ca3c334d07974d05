// Ctrl+C and `kill`, for commands that have something to put in order before they end.
#pragma once
#include <array>
#include <atomic>
#include <csignal>

namespace bolide::app {

// While it lives SIGINT and SIGTERM (and SIGHUP) only set came(); a second one ends the process as usual. Signals that
// were ignored (nohup) stay so. One at a time.
class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals(StopSignals&&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  StopSignals& operator=(StopSignals&&) = delete;
  ~StopSignals();

  const std::atomic<bool>& came() const;

 private:
  std::array<struct sigaction, 3> former_{};
};

}  // namespace bolide::app
