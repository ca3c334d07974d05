// One answer of `bolide run` without a conversation: the answer on stdout, everything else on stderr.
#pragma once
#include "app/chat_dialogue.h"
#include "engine/engine.h"

namespace bolide::app {

// All give the exit code.

// Answers a dialogue's request. The thinking is shown on stderr if that is a terminal.
int answer_question(engine::Engine& engine, engine::Request request, const AnswerSettings& settings);

// Prints how the model continues the prompt, control tokens by their names.
int continue_prompt(engine::Engine& engine, engine::Request request);

// Prints only the ids of the new tokens, as a JSON array; a final end token is among them.
int print_new_ids(engine::Engine& engine, engine::Request request);

}  // namespace bolide::app
