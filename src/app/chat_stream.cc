#include "app/chat_stream.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <optional>
#include <unistd.h>
#include <utility>

namespace bolide::app {
namespace {

// What the engine has said since the last look.
struct News {
  std::optional<std::pair<u64, u64>> progress;
  std::vector<u32> tokens;
  std::optional<engine::Outcome> outcome;
};

// Keeps the news for the other thread and makes a pipe readable while there is any, so that it can wait for this and
// for keys at once.
class NewsQueue : public engine::TokenSink {
 public:
  static Result<std::shared_ptr<NewsQueue>> open() {
    std::array<int, 2> pipe;
    if (::pipe(pipe.data()) != 0) return Error{fmt::format("no pipe can be opened: {}", std::strerror(errno))};
    for (const int end : pipe) ::fcntl(end, F_SETFD, FD_CLOEXEC);
    return std::shared_ptr<NewsQueue>(new NewsQueue(pipe));
  }
  ~NewsQueue() override {
    for (const int end : pipe_) ::close(end);
  }
  NewsQueue(const NewsQueue&) = delete;
  NewsQueue& operator=(const NewsQueue&) = delete;

  void prefill_progress(u64 done, u64 total) override {
    const std::lock_guard lock(mutex_);
    news_.progress = {done, total};
    wake();
  }
  void token(u32 id) override {
    const std::lock_guard lock(mutex_);
    news_.tokens.push_back(id);
    wake();
  }
  void finished(const engine::Outcome& outcome) override {
    const std::lock_guard lock(mutex_);
    news_.outcome = outcome;
    wake();
  }

  int readable() const { return pipe_[0]; }

  // Does not wait.
  News take() {
    const std::lock_guard lock(mutex_);
    if (awake_) {
      char byte = 0;
      while (::read(pipe_[0], &byte, 1) < 0 && errno == EINTR) {
      }
      awake_ = false;
    }
    return std::exchange(news_, {});
  }

 private:
  explicit NewsQueue(const std::array<int, 2>& pipe) : pipe_(pipe) {}

  // At most one byte is in the pipe, so writing never blocks.
  void wake() {
    if (awake_) return;
    const char byte = 0;
    while (::write(pipe_[1], &byte, 1) < 0 && errno == EINTR) {
    }
    awake_ = true;
  }

  const std::array<int, 2> pipe_;
  std::mutex mutex_;
  News news_;
  bool awake_ = false;
};

}  // namespace

Result<engine::Outcome> stream_answer(engine::Engine& engine, engine::Request request, AnswerListener& listener) {
  Result<std::shared_ptr<NewsQueue>> queue = NewsQueue::open();
  if (!queue) return queue.error();
  const Result<engine::RequestId> id = engine.submit(std::move(request), *queue);
  if (!id) return id.error();
  for (bool stopping = false;;) {
    if (!listener.wait((*queue)->readable()) && !std::exchange(stopping, true)) engine.cancel(*id);
    const News news = (*queue)->take();
    if (news.progress && !stopping) listener.prefill_progress(news.progress->first, news.progress->second);
    if (!news.tokens.empty() && !stopping) listener.tokens(news.tokens);
    if (news.outcome) return *news.outcome;
  }
}

}  // namespace bolide::app
