// The body of a chat request: what OpenAI's chat completions hold of a conversation, with the fields that other clients
// and the format's own examples add (prompt-format.md sections 2, 4 and 7, serving.md section 5).
//
// Read of the body: messages, tools, response_format, reasoning_effort, effort, thinking (true, false, or an object
// with type and budget_tokens), chat_template_kwargs (thinking, enable_thinking, reasoning_effort), drop_thinking. Of a
// message besides: tools, response_format, content_blocks, task, wo_eos or (on the last) prefix, and the reasoning as
// reasoning_content, reasoning or reasoning_text. Everything else is left to others.
#pragma once
#include <optional>

#include "base/result.h"
#include "base/types.h"
#include "text/chat.h"

namespace bolide::text {

struct ChatRequest {
  Conversation conversation;
  ChatOptions options;
  std::optional<u64> reasoning_budget;  // tokens of reasoning at most
};

// Takes the conversation out of a parsed body. A known field of a wrong type is an error that names it, such as
// "messages[2].content: ..."; an unknown field is ignored. Linear in the size of the body.
Result<ChatRequest> read_chat_body(Json body);

// The same from text.
Result<ChatRequest> parse_chat_body(std::string_view json);

}  // namespace bolide::text
