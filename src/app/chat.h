// The interactive chat of `bolide run`.
#pragma once
#include "app/chat_commands.h"
#include "engine/engine.h"

namespace bolide::app {

// Talks with the person at the terminal until they leave. Returns the exit code.
int chat(engine::Engine& engine, ChatState state);

}  // namespace bolide::app
