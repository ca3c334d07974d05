// The commands of a chat that read and write files: /read, /save, /load.
#pragma once
#include <string>
#include <string_view>

#include "app/chat_commands.h"

namespace bolide::app {

// Each takes the path that was typed (not empty; a leading ~/ is the home folder) and gives what to tell the person.

// Keeps the text of a file for the next question; several may be read.
std::string read_file(std::string_view path, ChatState& state);

// Never replaces a file unless it holds a saved conversation and the person says the same command twice.
std::string save_chat(std::string_view path, ChatState& state);

// If the file is no good, the conversation stays as it is.
std::string load_chat(std::string_view path, ChatState& state);

}  // namespace bolide::app
