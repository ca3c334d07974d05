// The prompt of a dialogue (spec/prompt-format.md sections 3 and 4; no tools, images or tasks yet).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "text/tokenizer.h"

namespace bolide::text {

enum class Role { kSystem, kUser, kAssistant, kLatestReminder };

struct Message {
  Role role = Role::kUser;
  std::string content;
  std::string reasoning;    // of an assistant; what it thought before the content
  bool open_ended = false;  // of an assistant: no end token after it, the model goes on writing
};

// The default effort of the release encoder ("high").
constexpr int kDefaultEffort = 75;

struct ChatOptions {
  int effort = kDefaultEffort;  // 1..100; 0: no thinking
  bool drop_reasoning = true;   // leave out the reasoning before the last user turn (section 3.4)
};

// The whole prompt, from the begin token to the header of the answer to come. Markers are spans with added tokens, all
// text of messages is spans without. An error if the dialogue is empty or is only a system message (nothing to
// answer), or if the effort is out of range.
Result<std::vector<TextSpan>> render_chat(const std::vector<Message>& messages, const ChatOptions& options);

// The token that begins every prompt, as a span.
TextSpan begin_of_prompt();

// The token with which the model ends what it says; none where the tokenizer is of another model.
std::optional<u32> end_token(const Tokenizer& tokenizer);

// The ids that end an answer in a dialogue: the end token, and the markers of another turn or prompt (section 8.3).
std::vector<u32> end_tokens(const Tokenizer& tokenizer);

}  // namespace bolide::text
