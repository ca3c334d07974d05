#include "text/chat.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

#include "text/markers.h"
#include "text/prompt_builder.h"
#include "text/tools_block.h"
#include "text/turns.h"

namespace bolide::text {
namespace {

// One rendering; names as in prompt-format.md section 3.
class Renderer {
 public:
  Renderer(const std::vector<Turn>& turns, const ChatOptions& options, const SampledTurns* sampled)
      : turns_(turns),
        options_(options),
        sampled_(sampled),
        thinking_(options.effort > 0),
        drops_(drops(turns, options)) {
    for (std::size_t i = 0; i < turns.size(); ++i) {
      if (opens_turn(i)) last_user_ = static_cast<i64>(i);
    }
  }

  Prompt render() {
    opening();
    for (std::size_t i = 0; i < turns_.size(); ++i) {
      body(i);
      transition(i);
    }
    return prompt_.take();
  }

 private:
  // Section 3.4.
  static bool drops(const std::vector<Turn>& turns, const ChatOptions& options) {
    return options.drop_reasoning && std::ranges::none_of(turns, [&](const Turn& turn) {
             const bool calls = turn.role == Role::kAssistant && !turn.message->calls.empty();
             return turn.tools != nullptr || (options.keep_reasoning_with_calls && calls);
           });
  }

  bool opens_turn(std::size_t i) const {
    return turns_[i].role == Role::kUser || (turns_[i].role == Role::kSystem && i > 0);
  }

  // Section 3.1.
  void opening() {
    prompt_.scaffold(kBeginOfPrompt);
    if (thinking_ || turns_[0].role == Role::kSystem) prompt_.scaffold(kSystemMarker);
    if (thinking_) {
      prompt_.scaffold(
          fmt::format("Reasoning Effort: {} (range 1-100, the higher the value, the more thorough the reasoning)\n\n",
                      options_.effort));
    }
  }

  // Section 3.2.
  void body(std::size_t i) {
    const Turn& turn = turns_[i];
    switch (turn.role) {
      case Role::kSystem:
        if (i > 0) prompt_.scaffold(kSystemMarker);
        return system(turn);
      case Role::kUser:
      case Role::kTool:
        prompt_.scaffold(kUserMarker);
        return blocks(turn);
      case Role::kLatestReminder:
        prompt_.scaffold(kLatestReminderMarker);
        return blocks(turn);
      case Role::kAssistant:
        assistant(i);
        if (!turn.message->open_ended) prompt_.scaffold(kEndOfAnswer);
        return;
    }
  }

  void system(const Turn& turn) {
    blocks(turn);
    if (turn.tools != nullptr) {
      prompt_.scaffold("\n\n");
      add_tools_block(prompt_, *turn.tools);
    }
    if (turn.response_format != nullptr) {
      prompt_.scaffold("\n\n");
      add_response_format(prompt_, *turn.response_format);
    }
  }

  void blocks(const Turn& turn) {
    for (const TurnBlock& block : turn.blocks) {
      if (&block != &turn.blocks.front()) prompt_.caller_text("\n\n");
      if (block.result == nullptr) {
        simple_block(*block.block, block.message);
      } else {
        tool_result(block);
      }
    }
  }

  void tool_result(const TurnBlock& result) {
    prompt_.scaffold(kToolResultTag);
    for (const ContentBlock& part : *result.result) {
      if (&part != &result.result->front()) prompt_.caller_text("\n\n");
      if (part.kind == ContentBlock::Kind::kText) {
        prompt_.caller_text(part.text, kEndToolResultTag, kEscapedEndToolResultTag);
      } else {
        simple_block(part, result.message);
      }
    }
    prompt_.scaffold(kEndToolResultTag);
  }

  void simple_block(const ContentBlock& block, std::size_t message) {
    switch (block.kind) {
      case ContentBlock::Kind::kText:
        return prompt_.caller_text(block.text);
      case ContentBlock::Kind::kImage:
        return prompt_.image({message, block.text});
      case ContentBlock::Kind::kUnsupported:
        return prompt_.caller_text("[Unsupported " + block.text + "]");
      case ContentBlock::Kind::kToolResult:  // only inside another result
        return prompt_.caller_text("[Unsupported tool_result]");
    }
  }

  // Without the end token.
  void assistant(std::size_t i) {
    const Message& message = *turns_[i].message;
    const bool after_task = i > 0 && !turns_[i - 1].task.empty();
    const bool reasoning = thinking_ && !after_task && (!drops_ || static_cast<i64>(i) > last_user_);
    if (sampled_ != nullptr && as_sampled(message, reasoning)) return;
    if (reasoning) this->reasoning(message);
    for (const TurnBlock& block : turns_[i].blocks) {
      if (&block != &turns_[i].blocks.front()) prompt_.caller_text("\n\n");
      if (block.block != nullptr) simple_block(*block.block, block.message);
    }
    if (!message.calls.empty()) calls(message.calls);
  }

  void reasoning(const Message& message) {
    prompt_.caller_text(message.reasoning);
    prompt_.scaffold(kEndThink);
  }

  // Section 10. Its neighbours are added tokens: a header or </think> before, the end token after.
  bool as_sampled(const Message& message, bool reasoning) {
    const auto shown = reasoning ? SampledTurns::Reasoning::kShown : SampledTurns::Reasoning::kLeftOut;
    const SampledTurn* turn = message.open_ended ? nullptr : sampled_->find(message, shown);
    if (turn == nullptr || (!reasoning && !turn->answer_begin)) return false;
    if (reasoning && turn->answer_begin == 0) this->reasoning(message);
    prompt_.sampled(std::span(turn->ids).subspan(reasoning ? 0 : *turn->answer_begin));
    return true;
  }

  // Section 3.7.
  void calls(const std::vector<ToolCall>& calls) {
    prompt_.scaffold("\n\n");
    prompt_.scaffold(kCalls);
    for (const ToolCall& call : calls) invoke(call);
    prompt_.scaffold("\n");
    prompt_.scaffold(kEndCalls);
  }

  void invoke(const ToolCall& call) {
    prompt_.scaffold("\n");
    prompt_.scaffold(kInvoke);
    prompt_.caller_text(call.name);
    prompt_.scaffold("\">\n");
    if (call.arguments.is_object()) {
      for (const JsonMember& member : call.arguments.members) {
        if (&member != &call.arguments.members.front()) prompt_.scaffold("\n");
        parameter(member.key, member.value, member.value.is_string());
      }
    } else {
      parameter("arguments", call.arguments, false);
    }
    prompt_.scaffold("\n");
    prompt_.scaffold(kEndInvoke);
  }

  void parameter(std::string_view key, const Json& value, bool as_string) {
    prompt_.scaffold(kParameter);
    prompt_.caller_text(key);
    prompt_.scaffold(as_string ? "\" string=\"true\">" : "\" string=\"false\">");
    if (as_string) {
      prompt_.caller_text(value.text, kEndParameter, kEscapedEndParameter);
    } else {
      prompt_.caller_text(dump_json(value));
    }
    prompt_.scaffold(kEndParameter);
  }

  // Section 3.3: the header of the assistant's answer, where one comes next.
  void transition(std::size_t i) {
    if (i + 1 < turns_.size()) {
      const Role next = turns_[i + 1].role;
      if (next != Role::kAssistant && next != Role::kLatestReminder) return;
    }
    const std::string_view task = turns_[i].task;
    if (!task.empty() && task != "action") return prompt_.scaffold(fmt::format("<｜{}｜>", task));
    if (task.empty() && !opens_turn(i)) return;
    const bool thinks = thinking_ && (!task.empty() || !drops_ || static_cast<i64>(i) >= last_user_);
    prompt_.scaffold(kAssistantMarker);
    prompt_.scaffold(thinks ? kThink : kEndThink);
    if (!task.empty()) prompt_.scaffold("<｜action｜>");
  }

  const std::vector<Turn>& turns_;
  const ChatOptions& options_;
  const SampledTurns* sampled_;
  const bool thinking_;
  const bool drops_;
  i64 last_user_ = -1;  // the last that opens a turn; reasoning before it is dropped
  PromptBuilder prompt_;
};

}  // namespace

Result<Prompt> render_chat(const Conversation& conversation, const ChatOptions& options, const SampledTurns* sampled) {
  if (options.effort < 0 || options.effort > 100) {
    return Error{fmt::format("reasoning effort {}: expected 1 to 100, or 0 for no thinking", options.effort)};
  }
  if (conversation.messages.empty()) return Error{"a conversation without messages: add what the user says"};
  if (conversation.messages.size() == 1 && conversation.messages[0].role == Role::kSystem) {
    return Error{"a conversation of only a system message: add what the user says"};
  }
  const std::vector<Turn> turns = turns_of(conversation);
  return Renderer(turns, options, sampled).render();
}

TextSpan begin_of_prompt() {
  return {std::string(kBeginOfPrompt), AddedTokens::kMatch};
}

std::optional<u32> end_token(const Tokenizer& tokenizer) {
  return tokenizer.find_added_token(kEndOfAnswer);
}

std::vector<u32> end_tokens(const Tokenizer& tokenizer) {
  std::vector<u32> ids;
  for (const std::string_view marker : {kEndOfAnswer, kUserMarker, kSystemMarker, kBeginOfPrompt}) {
    if (const std::optional<u32> id = tokenizer.find_added_token(marker)) ids.push_back(*id);
  }
  return ids;
}

}  // namespace bolide::text
