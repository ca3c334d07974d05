#include "app/logits_pair.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace bolide::app {
namespace {

// Rows of logits on their way from one engine to the other's thread.
class Channel {
 public:
  // Waits for room. False when nobody will take rows any more.
  bool put(std::span<const float> row) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || rows_.size() < kRows; });
    if (closed_) return false;
    rows_.emplace_back(row.begin(), row.end());
    changed_.notify_all();
    return true;
  }

  // Waits for a row. Nothing when none will come any more.
  std::optional<std::vector<float>> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !rows_.empty(); });
    if (rows_.empty()) return std::nullopt;
    std::optional<std::vector<float>> row = std::move(rows_.front());
    rows_.pop_front();
    changed_.notify_all();
    return row;
  }

  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  // A few prefill chunks, so that both engines go on while one finishes a chunk.
  static constexpr std::size_t kRows = 256;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::vector<float>> rows_;
  bool closed_ = false;
};

}  // namespace

Status evaluate_pair(engine::Engine& first, engine::Engine& second, std::span<const u32> ids, const PairSink& sink) {
  Channel channel;
  Status first_status;
  std::thread producer([&] {
    first_status = first.evaluate(ids, 0, [&](u64, std::span<const float> row) { return channel.put(row); });
    channel.close();
  });
  const Status second_status = second.evaluate(ids, 0, [&](u64 position, std::span<const float> row) {
    const std::optional<std::vector<float>> other = channel.take();
    if (other) sink(position, *other, row);
    return other.has_value();
  });
  channel.close();
  producer.join();
  return first_status ? second_status : first_status;
}

}  // namespace bolide::app
