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

}  // namespace bolide::text
