// The commands of a chat: lines such as /think 50. A new one is a row of the table in chat_commands.cc.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "app/chat_dialogue.h"

namespace bolide::app {

// What the chat has used so far.
struct ChatTotals {
  u64 answers = 0;
  u64 new_tokens = 0;
  u64 prompt_tokens = 0;
  u64 reused_tokens = 0;
  double prefill_seconds = 0;
  double decode_seconds = 0;
  u64 context_used = 0;  // tokens of the last prompt and its answer

  void add(const engine::RequestStatistics& answer);
};

// What the commands act on.
struct ChatState {
  Dialogue dialogue;
  AnswerSettings settings;
  ChatTotals totals;
  u64 context = 0;  // tokens that there is room for
  const text::Tokenizer* tokenizer = nullptr;
  std::string attached;     // text of files that goes with the next question
  std::string may_replace;  // the path that /save was told to be taken; saying it once more replaces that file
  bool leaving = false;     // set by /quit
};

// Runs the line if it is a command, also a wrong one, and gives what to tell the person. None: it is said to the model.
// A command is one line whose first word is a slash and letters, so that a path is none.
std::optional<std::string> run_chat_command(std::string_view line, ChatState& state);

}  // namespace bolide::app
