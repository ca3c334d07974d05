#include "app/chat_once.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include "app/chat_printer.h"
#include "app/chat_progress.h"
#include "app/chat_stream.h"
#include "app/command.h"
#include "app/standard_streams.h"
#include "app/terminal.h"
#include "app/terminal_text.h"
#include "app/token_ids.h"
#include "text/stream_decoder.h"

namespace bolide::app {
namespace {

constexpr int kLongestWaitMs = 1000;

// What a person at the terminal is told beside the answer: progress, thinking, statistics. Silent where stderr is none.
class SideChannel {
 public:
  SideChannel()
      : open_(::isatty(STDERR_FILENO) == 1),
        style_(may_style(STDERR_FILENO) ? TextStyle::kStyled : TextStyle::kPlain),
        progress_(style_),
        thinking_(style_) {}

  // Only where the line can be drawn again.
  void prefill_progress(u64 done, u64 total) {
    if (!is_dumb_terminal()) write(progress_.show(done, total, columns_of(STDERR_FILENO)));
  }
  void thinking(const text::OutputEvent& event) { write(progress_.hide() + thinking_.print(event)); }
  // The answer begins or everything ends.
  void end_thinking(std::string_view gap) {
    const std::string rest = progress_.hide() + thinking_.finish();
    if (!rest.empty()) write(rest + std::string(gap));
  }
  void say(std::string_view text) { write(dimmed(text, style_) + "\n"); }

 private:
  void write(std::string_view bytes) {
    if (open_) std::fwrite(bytes.data(), 1, bytes.size(), stderr);
  }

  bool open_;
  TextStyle style_;
  PrefillProgress progress_;
  AnswerPrinter thinking_;
};

// The answer's text on stdout, streamed, with a line end at its end.
class AnswerOutput {
 public:
  AnswerOutput() : terminal_(::isatty(STDOUT_FILENO) == 1), styled_(may_style(STDOUT_FILENO)) {}

  void print(std::string_view text) {
    if (text.empty()) return;
    in_line_ = text.back() != '\n';
    write(shown(text));
  }
  void finish() {
    if (styled_) write(markdown_.finish());
    if (in_line_) write("\n");
    in_line_ = false;
  }
  // False: nobody reads it any more.
  bool written() const { return written_; }

 private:
  // To a file or a pipe goes every byte as it is.
  std::string shown(std::string_view text) {
    if (!terminal_) return std::string(text);
    const std::string safe = without_controls(text);
    return styled_ ? markdown_.push(safe) : safe;
  }
  void write(std::string_view bytes) { written_ = print_out(bytes) && flush_out(); }

  bool terminal_;
  bool styled_;
  MarkdownStyle markdown_;
  bool in_line_ = false;
  bool written_ = true;
};

// Follows one answer; what becomes of the tokens is the derived class's matter.
class OnceListener : public AnswerListener {
 public:
  void prefill_progress(u64 done, u64 total) override { side_.prefill_progress(done, total); }
  bool wait(int file_descriptor) override {
    pollfd source{file_descriptor, POLLIN, 0};
    ::poll(&source, 1, kLongestWaitMs);
    return output_.written();
  }

  SideChannel& side() { return side_; }
  AnswerOutput& output() { return output_; }

 private:
  SideChannel side_;
  AnswerOutput output_;
};

class QuestionListener : public OnceListener {
 public:
  explicit QuestionListener(AnswerText text) : text_(std::move(text)) {}

  void tokens(std::span<const u32> ids) override {
    for (const u32 id : ids) show(text_.push(id));
  }
  void finish() {
    show(text_.finish());
    side().end_thinking("");
    output().finish();
  }
  const AnswerText& text() const { return text_; }

 private:
  void show(const std::vector<text::OutputEvent>& events) {
    for (const text::OutputEvent& event : events) {
      if (event.kind == text::OutputEvent::Kind::kReasoning) {
        side().thinking(event);
      } else {
        side().end_thinking("\n");
        output().print(event.text);
      }
    }
  }

  AnswerText text_;
};

class RawListener : public OnceListener {
 public:
  RawListener(const text::Tokenizer& tokenizer, std::vector<u32> end_tokens)
      : decoder_(tokenizer), end_tokens_(std::move(end_tokens)) {}

  void tokens(std::span<const u32> ids) override {
    side().end_thinking("");
    for (const u32 id : ids) {
      if (std::ranges::find(end_tokens_, id) == end_tokens_.end()) output().print(decoder_.push(id));
    }
  }
  void finish() {
    side().end_thinking("");
    output().print(decoder_.finish());
    output().finish();
  }

 private:
  text::StreamDecoder decoder_;
  std::vector<u32> end_tokens_;
};

class IdsListener : public OnceListener {
 public:
  void tokens(std::span<const u32> ids) override { ids_.insert(ids_.end(), ids.begin(), ids.end()); }
  const std::vector<u32>& ids() const { return ids_; }

 private:
  std::vector<u32> ids_;
};

// What is left to say when an answer has ended.
int conclude(const engine::Engine& engine, const Result<engine::Outcome>& outcome, const session::Sampling& sampling,
             SideChannel& side) {
  if (!outcome) return report_failure(outcome.error());
  if (outcome->reason == engine::FinishReason::kFailed) return report_failure({outcome->problem});
  std::string line = answer_statistics(outcome->statistics, sampling);
  const engine::RequestStatistics& tokens = outcome->statistics;
  const bool full =
      outcome->reason == engine::FinishReason::kLength && tokens.prompt_tokens + tokens.new_tokens >= engine.context();
  if (outcome->reason == engine::FinishReason::kLength) line += full ? "; the context is full" : "; stopped by -n";
  side.say(line);
  if (full) std::fputs("bolide: the answer was cut, because the context is full; --ctx makes it larger\n", stderr);
  return kGood;
}

}  // namespace

int answer_question(engine::Engine& engine, engine::Request request, const AnswerSettings& settings) {
  const session::Sampling sampling = request.sampling;
  QuestionListener listener(AnswerText(engine.tokenizer(), settings.effort > 0));
  const Result<engine::Outcome> outcome = stream_answer(engine, std::move(request), listener);
  listener.finish();
  const int code = conclude(engine, outcome, sampling, listener.side());
  if (code == kGood && listener.text().answer().empty() && !listener.text().reasoning().empty()) {
    std::fputs(
        "bolide: there is no answer, because all new tokens were thinking; allow more with -n and --ctx, or --think "
        "0\n",
        stderr);
  }
  return code;
}

int continue_prompt(engine::Engine& engine, engine::Request request) {
  const session::Sampling sampling = request.sampling;
  RawListener listener(engine.tokenizer(), request.end_tokens);
  const Result<engine::Outcome> outcome = stream_answer(engine, std::move(request), listener);
  listener.finish();
  return conclude(engine, outcome, sampling, listener.side());
}

int print_new_ids(engine::Engine& engine, engine::Request request) {
  const session::Sampling sampling = request.sampling;
  IdsListener listener;
  const Result<engine::Outcome> outcome = stream_answer(engine, std::move(request), listener);
  listener.side().end_thinking("");
  const int code = conclude(engine, outcome, sampling, listener.side());
  if (code == kGood) print_out(format_token_ids(listener.ids()) + "\n");
  return code;
}

}  // namespace bolide::app
