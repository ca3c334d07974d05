// The engine thread: takes jobs one after the other. Internal to room engine.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace bolide::engine {

// Owns the thread. Jobs run in the order of post(); the destructor runs those that are waiting, then ends the thread.
class Worker {
 public:
  Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  void post(std::function<void()> job);
  // Posts a job and waits until it has run.
  void run(const std::function<void()>& job);

 private:
  void loop();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool closing_ = false;
  std::thread thread_;  // last: it starts when the rest is there
};

}  // namespace bolide::engine
