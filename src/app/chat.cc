#include "app/chat.h"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <unistd.h>
#include <utility>

#include "app/chat_history.h"
#include "app/chat_printer.h"
#include "app/chat_progress.h"
#include "app/chat_stream.h"
#include "app/command.h"
#include "app/standard_streams.h"
#include "app/terminal.h"
#include "app/terminal_prompt.h"
#include "app/terminal_text.h"

namespace bolide::app {
namespace {

TextStyle style_of_stdout() {
  return may_style(STDOUT_FILENO) ? TextStyle::kStyled : TextStyle::kPlain;
}

// Shows an answer while it comes and gathers its text.
class ShownAnswer : public AnswerListener {
 public:
  ShownAnswer(Terminal& terminal, TextStyle style, AnswerText text)
      : terminal_(terminal), printer_(style), progress_(style), text_(std::move(text)) {}

  void prefill_progress(u64 done, u64 total) override {
    terminal_.write(progress_.show(done, total, terminal_.size().columns));
  }
  void tokens(std::span<const u32> ids) override {
    std::string bytes = progress_.hide();
    for (const u32 id : ids) bytes += printed(text_.push(id));
    terminal_.write(bytes);
  }
  bool wait(int file_descriptor) override { return terminal_.wait_unless_interrupted(file_descriptor); }

  void finish() {
    const std::string rest = printed(text_.finish());
    terminal_.write(progress_.hide() + rest + printer_.finish());
  }
  const AnswerText& text() const { return text_; }

 private:
  std::string printed(const std::vector<text::OutputEvent>& events) {
    std::string bytes;
    for (const text::OutputEvent& event : events) bytes += printer_.print(event);
    return bytes;
  }

  Terminal& terminal_;
  AnswerPrinter printer_;
  PrefillProgress progress_;
  AnswerText text_;
};

// The questions of earlier chats, and where new ones go.
struct History {
  std::optional<ChatHistory> file;
  std::vector<std::string> questions;
  std::string problem;  // why there is no file
};

History open_history() {
  const std::optional<std::string> path = ChatHistory::default_path();
  if (!path) return {};
  const ChatHistory file(*path);
  Result<std::vector<std::string>> questions = file.read();
  if (!questions) return {{}, {}, "Questions are not kept for the next chat: " + questions.error().message};
  return {file, std::move(*questions), {}};
}

class Chat {
 public:
  Chat(engine::Engine& engine, Terminal& terminal, ChatState state, History history)
      : engine_(engine),
        terminal_(terminal),
        prompt_(terminal, std::move(history.questions)),
        history_(std::move(history.file)),
        state_(std::move(state)),
        style_(style_of_stdout()) {
    greet();
    if (!history.problem.empty()) say(history.problem + "\n");
  }

  void run() {
    while (!state_.leaving) {
      TerminalPrompt::Reply reply = prompt_.ask();
      const bool again = std::exchange(warned_, false);
      switch (reply.end) {
        case TerminalPrompt::End::kSubmitted:
          take(std::move(reply.text));
          break;
        case TerminalPrompt::End::kGivenUp:
          break;
        case TerminalPrompt::End::kInterrupted:
          if (again) return;
          say("Ctrl+C again, or Ctrl+D, leaves.");
          warned_ = true;
          break;
        case TerminalPrompt::End::kEndOfInput:
          return;
      }
    }
  }

 private:
  void greet() {
    say(fmt::format("Bolide with the model {}; room for {} tokens.\n/help lists the commands, Ctrl+D leaves.\n",
                    std::filesystem::path(engine_.model_path()).filename().string(), engine_.context()));
  }

  void say(std::string_view text) { terminal_.write(dimmed(without_controls(text), style_) + "\n"); }
  void complain(std::string_view problem) { terminal_.write(without_controls(problem) + "\n\n"); }

  void take(std::string line) {
    line.erase(line.find_last_not_of('\n') + 1);  // a paste often ends in line ends
    if (line.find_first_not_of(" \n\t") == std::string::npos) return;
    remember(line);
    if (const std::optional<std::string> told = run_chat_command(line, state_)) {
      if (!told->empty()) say(*told + "\n");
      return;
    }
    sent_files_ = std::exchange(state_.attached, {});
    state_.dialogue.ask(line + sent_files_);
    answer();
  }

  void remember(const std::string& line) {
    if (!history_) return;
    if (const Status added = history_->add(line); !added) {
      say("Questions are not kept any more for the next chat: " + added.error().message);
      history_.reset();
    }
  }

  void answer() {
    const text::Tokenizer& tokenizer = engine_.tokenizer();
    Result<engine::Request> request = state_.dialogue.request(tokenizer, state_.settings);
    if (!request) return refuse(request.error());
    const session::Sampling sampling = request->sampling;
    ShownAnswer shown(terminal_, style_, AnswerText(tokenizer, state_.settings.effort > 0));
    const Result<engine::Outcome> outcome = stream_answer(engine_, std::move(*request), shown);
    shown.finish();
    if (!outcome) return refuse(outcome.error());
    keep(shown.text());
    state_.totals.add(outcome->statistics);
    if (outcome->reason == engine::FinishReason::kFailed) return complain(outcome->problem);
    say(summary(*outcome, sampling, shown.text()) + "\n");
  }

  // The question was not computed at all; most likely the conversation is too long.
  void refuse(const Error& error) {
    state_.dialogue.take_back();
    complain(error.message + (state_.dialogue.empty() ? "" : ". /new begins a new conversation"));
  }

  void keep(const AnswerText& text) {
    if (text.answer().empty()) {
      state_.dialogue.take_back();
      state_.attached = sent_files_;
    } else {
      state_.dialogue.answer(text);
    }
  }

  std::string summary(const engine::Outcome& outcome, const session::Sampling& sampling, const AnswerText& text) const {
    if (text.answer().empty()) return without_answer(outcome);
    std::string line = answer_statistics(outcome.statistics, sampling);
    if (outcome.reason == engine::FinishReason::kCancelled) line += "; stopped";
    if (outcome.reason == engine::FinishReason::kLength) line += "; " + limit_reached(outcome);
    return line;
  }

  std::string without_answer(const engine::Outcome& outcome) const {
    std::string why = "the model ended without an answer";
    if (outcome.reason == engine::FinishReason::kCancelled) why = "stopped before an answer";
    if (outcome.reason == engine::FinishReason::kLength) why = "no answer yet, " + limit_reached(outcome);
    why += "; the question is forgotten (the up key brings it back)";
    return sent_files_.empty() ? why : why + "; what was read goes with the next one";
  }

  std::string limit_reached(const engine::Outcome& outcome) const {
    if (outcome.statistics.new_tokens == state_.settings.max_tokens) return "stopped by the limit of -n";
    return fmt::format("stopped because the context of {} tokens is full (/new begins a new conversation)",
                       engine_.context());
  }

  engine::Engine& engine_;
  Terminal& terminal_;
  TerminalPrompt prompt_;
  std::optional<ChatHistory> history_;
  ChatState state_;
  std::string sent_files_;  // the texts of /read that went with the last question
  TextStyle style_;
  bool warned_ = false;  // the last thing that happened was a Ctrl+C with nothing typed
};

}  // namespace

int chat(engine::Engine& engine, ChatState state) {
  use_unicode_widths();
  Result<std::unique_ptr<Terminal>> terminal = Terminal::open();
  if (!terminal) return report_failure(terminal.error());
  Chat(engine, **terminal, std::move(state), open_history()).run();
  return kGood;
}

}  // namespace bolide::app
