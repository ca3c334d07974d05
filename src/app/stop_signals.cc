#include "app/stop_signals.h"

namespace bolide::app {
namespace {

constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> stop_came = false;
static_assert(std::atomic<bool>::is_always_lock_free, "signal handlers may set it");

extern "C" void note_stop(int) {
  stop_came = true;
}

}  // namespace

StopSignals::StopSignals() {
  stop_came = false;
  struct sigaction action{};
  action.sa_handler = note_stop;
  action.sa_flags = SA_RESETHAND;  // the next one ends the process
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &action, &former_[i]);
    if (former_[i].sa_handler == SIG_IGN) ::sigaction(kSignals[i], &former_[i], nullptr);
  }
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &former_[i], nullptr);
}

const std::atomic<bool>& StopSignals::came() const {
  return stop_came;
}

}  // namespace bolide::app
