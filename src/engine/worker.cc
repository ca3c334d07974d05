#include "engine/worker.h"

#include <future>
#include <memory>
#include <utility>

namespace bolide::engine {

Worker::Worker() : thread_([this] { loop(); }) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Worker::post(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
}

void Worker::run(const std::function<void()>& job) {
  // Shared, because the worker may still be inside set_value() when the waiting thread goes on.
  const auto done = std::make_shared<std::promise<void>>();
  std::future<void> finished = done->get_future();
  post([&job, done] {
    job();
    done->set_value();
  });
  finished.wait();
}

void Worker::loop() {
  while (true) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closing_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
  }
}

}  // namespace bolide::engine
