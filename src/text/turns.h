// A conversation as the prompt shows it: tool results and what the user says next are one turn, results stand in the
// order of their calls (prompt-format.md section 2, rules 2, 5 and 6).
#pragma once
#include <string_view>
#include <vector>

#include "text/message.h"

namespace bolide::text {

// A block of a turn. Refers to the conversation.
struct TurnBlock {
  const ContentBlock* block = nullptr;  // text, an image, or unsupported; null in a tool result
  std::string_view call_id;             // of a tool result
  const std::vector<ContentBlock>* result = nullptr;
  std::size_t message = 0;  // the index of the message that holds it
};

struct Turn {
  Role role = Role::kUser;           // never kTool
  const Message* message = nullptr;  // the first of the turn; null for a system turn that was put first
  std::vector<TurnBlock> blocks;     // of all but an assistant's turn
  std::string_view task;
  const std::vector<Json>* tools = nullptr;  // null: none
  const Json* response_format = nullptr;
};

// Refers to the conversation, which must outlive the turns.
std::vector<Turn> turns_of(const Conversation& conversation);

}  // namespace bolide::text
