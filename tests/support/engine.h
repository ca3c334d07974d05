// An engine on the nano model, for tests.
#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>

#include "engine/engine.h"
#include "support/nano.h"

namespace bolide::test {

inline std::unique_ptr<engine::Engine> open_nano(engine::EngineOptions options = {}) {
  options.model_path = kNanoFolder;
  Result<std::unique_ptr<engine::Engine>> engine = engine::Engine::open(options);
  if (!engine) {
    ADD_FAILURE() << engine.error().message;
    return nullptr;
  }
  return std::move(*engine);
}

// Collects a request's tokens; wait() blocks until it ended.
class CollectingSink : public engine::TokenSink {
 public:
  void token(u32 id) override {
    const std::lock_guard lock(mutex_);
    tokens_.push_back(id);
    changed_.notify_all();
  }
  void finished(const engine::Outcome& outcome) override {
    const std::lock_guard lock(mutex_);
    outcome_ = outcome;
    finished_ = true;
    changed_.notify_all();
  }
  engine::Outcome wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return finished_; });
    return outcome_;
  }
  void wait_for_tokens(std::size_t n) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return finished_ || tokens_.size() >= n; });
  }
  std::vector<u32> tokens() {
    const std::lock_guard lock(mutex_);
    return tokens_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<u32> tokens_;
  engine::Outcome outcome_;
  bool finished_ = false;
};

}  // namespace bolide::test
