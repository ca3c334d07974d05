// The commands of the program: each is a CLI11 subcommand in a file of its own. main.cc lists them.
#pragma once
#include <CLI/App.hpp>
#include <functional>

#include "base/result.h"

namespace bolide::app {

// What a command says with its exit code (design: interfaces.md, Commands): 0 good, 1 failed, 2 wrong usage.
enum ExitCode : int { kGood = 0, kFailed = 1, kWrongUsage = 2 };

// Sets `action` to what the parsed command is to do.
using Action = std::function<int()>;

void add_run(CLI::App& program, Action& action);
void add_inspect(CLI::App& program, Action& action);
void add_tokenize(CLI::App& program, Action& action);
void add_render(CLI::App& program, Action& action);
void add_parse(CLI::App& program, Action& action);
void add_logits(CLI::App& program, Action& action);
void add_hash(CLI::App& program, Action& action);
void add_convert(CLI::App& program, Action& action);
void add_synth(CLI::App& program, Action& action);
void add_eval(CLI::App& program, Action& action);
void add_selftest(CLI::App& program, Action& action);

}  // namespace bolide::app
