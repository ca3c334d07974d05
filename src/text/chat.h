// The prompt of a conversation (prompt-format.md sections 2 to 4 and 6).
#pragma once
#include <optional>
#include <vector>

#include "base/result.h"
#include "text/effort.h"
#include "text/message.h"
#include "text/prompt.h"
#include "text/sampled_turns.h"
#include "text/tokenizer.h"

namespace bolide::text {

struct ChatOptions {
  int effort = kDefaultEffort;  // 1..100; 0: no thinking
  // Leave out the reasoning before the last user turn (section 3.4). Never done while a message carries tools.
  bool drop_reasoning = true;
  // Nor while the history holds calls: a client may stop sending its tools in the middle of a loop (hazard E21). The
  // official rule does drop then.
  bool keep_reasoning_with_calls = false;
};

// The whole prompt, from the begin token to the header of the answer to come. Markers are spans with added tokens, all
// that callers wrote are spans without (pitfalls B03). Where `sampled` remembers an assistant's turn, its tokens stand
// in place of its text, so that the prompt begins with what the model has seen (section 10). Linear in the size of the
// conversation. An error if there is nothing to answer, or if the effort is out of range.
Result<Prompt> render_chat(const Conversation& conversation, const ChatOptions& options,
                           const SampledTurns* sampled = nullptr);

// The token that begins every prompt, as a span.
TextSpan begin_of_prompt();

// The token with which the model ends what it says; none where the tokenizer is of another model.
std::optional<u32> end_token(const Tokenizer& tokenizer);

// The ids that end an answer in a dialogue: the end token, and the markers of another turn or prompt (section 8.3).
std::vector<u32> end_tokens(const Tokenizer& tokenizer);

}  // namespace bolide::text
