#include "text/chat.h"

#include <fmt/format.h>
#include <string_view>

namespace bolide::text {
namespace {

// prompt-format.md section 1. The bars are U+FF5C, the blocks U+2581.
constexpr std::string_view kBegin = "<｜begin▁of▁sentence｜>";
constexpr std::string_view kEnd = "<｜end▁of▁sentence｜>";
constexpr std::string_view kSystem = "<｜System｜>";
constexpr std::string_view kUser = "<｜User｜>";
constexpr std::string_view kAssistant = "<｜Assistant｜>";
constexpr std::string_view kLatestReminder = "<｜latest_reminder｜>";
constexpr std::string_view kThink = "<think>";
constexpr std::string_view kEndThink = "</think>";

// The text of a prompt as spans; neighbours of one kind are joined.
class Prompt {
 public:
  void scaffold(std::string_view text) { add(text, AddedTokens::kMatch); }
  void caller_text(std::string_view text) { add(text, AddedTokens::kIgnore); }
  std::vector<TextSpan> take() { return std::move(spans_); }

 private:
  void add(std::string_view text, AddedTokens added_tokens) {
    if (text.empty()) return;
    if (spans_.empty() || spans_.back().added_tokens != added_tokens) spans_.push_back({"", added_tokens});
    spans_.back().text += text;
  }
  std::vector<TextSpan> spans_;
};

// One rendering; names as in prompt-format.md section 3.
class Renderer {
 public:
  Renderer(const std::vector<Message>& messages, const ChatOptions& options)
      : messages_(messages), options_(options), thinking_(options.effort > 0) {
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (opens_turn(i)) last_user_ = static_cast<i64>(i);
    }
  }

  std::vector<TextSpan> render() {
    opening();
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      body(i);
      transition(i);
    }
    return prompt_.take();
  }

 private:
  bool opens_turn(std::size_t i) const {
    return messages_[i].role == Role::kUser || (messages_[i].role == Role::kSystem && i > 0);
  }

  // Section 3.1.
  void opening() {
    prompt_.scaffold(kBegin);
    if (thinking_ || messages_[0].role == Role::kSystem) prompt_.scaffold(kSystem);
    if (thinking_) {
      prompt_.scaffold(
          fmt::format("Reasoning Effort: {} (range 1-100, the higher the value, the more thorough the reasoning)\n\n",
                      options_.effort));
    }
  }

  // Section 3.2.
  void body(std::size_t i) {
    const Message& message = messages_[i];
    switch (message.role) {
      case Role::kSystem:
        if (i > 0) prompt_.scaffold(kSystem);
        break;
      case Role::kUser:  // two in a row are one turn (section 2, rule 5)
        prompt_.scaffold(i > 0 && messages_[i - 1].role == Role::kUser ? "\n\n" : kUser);
        break;
      case Role::kLatestReminder:
        prompt_.scaffold(kLatestReminder);
        break;
      case Role::kAssistant:
        if (thinking_ && (!options_.drop_reasoning || static_cast<i64>(i) > last_user_)) {
          prompt_.caller_text(message.reasoning);
          prompt_.scaffold(kEndThink);
        }
        break;
    }
    prompt_.caller_text(message.content);
    if (message.role == Role::kAssistant && !message.open_ended) prompt_.scaffold(kEnd);
  }

  // Section 3.3: the header of the assistant's answer, where one comes next.
  void transition(std::size_t i) {
    if (i + 1 < messages_.size()) {
      const Role next = messages_[i + 1].role;
      if (next != Role::kAssistant && next != Role::kLatestReminder) return;
    }
    if (!opens_turn(i)) return;
    const bool thinks = thinking_ && (!options_.drop_reasoning || static_cast<i64>(i) >= last_user_);
    prompt_.scaffold(kAssistant);
    prompt_.scaffold(thinks ? kThink : kEndThink);
  }

  const std::vector<Message>& messages_;
  const ChatOptions& options_;
  const bool thinking_;
  i64 last_user_ = -1;  // the last message that opens a turn; reasoning before it is dropped
  Prompt prompt_;
};

}  // namespace

Result<std::vector<TextSpan>> render_chat(const std::vector<Message>& messages, const ChatOptions& options) {
  if (options.effort < 0 || options.effort > 100) {
    return Error{fmt::format("reasoning effort {}: expected 1 to 100, or 0 for no thinking", options.effort)};
  }
  if (messages.empty()) return Error{"a dialogue without messages: add what the user says"};
  if (messages.size() == 1 && messages[0].role == Role::kSystem) {
    return Error{"a dialogue of only a system message: add what the user says"};
  }
  return Renderer(messages, options).render();
}

TextSpan begin_of_prompt() {
  return {std::string(kBegin), AddedTokens::kMatch};
}

std::optional<u32> end_token(const Tokenizer& tokenizer) {
  return tokenizer.find_added_token(kEnd);
}

std::vector<u32> end_tokens(const Tokenizer& tokenizer) {
  std::vector<u32> ids;
  for (const std::string_view marker : {kEnd, kUser, kSystem, kBegin}) {
    if (const std::optional<u32> id = tokenizer.find_added_token(marker)) ids.push_back(*id);
  }
  return ids;
}

}  // namespace bolide::text
