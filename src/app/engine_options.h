// Options that the computing commands share, and the engine that they describe.
#pragma once
#include <CLI/App.hpp>
#include <functional>
#include <memory>
#include <string>

#include "engine/engine.h"

namespace bolide::app {

// A check for CLI11: a whole number that is at least `least`.
std::function<std::string(const std::string&)> whole_number_from(u64 least);

// --model. An empty `path` stands for the default model, see resolve_model().
CLI::Option* add_model_option(CLI::App& command, std::string& path);
// `name` (--arithmetic, --against): a1, ref or plain.
CLI::Option* add_arithmetic_option(CLI::App& command, const std::string& name, const std::string& description,
                                   engine::ArithmeticKind& arithmetic);
// --backend. Only the oracle exists so far; others are refused by name.
CLI::Option* add_backend_option(CLI::App& command);
// --model, --arithmetic, --backend, --ctx and --prefill-chunk.
void add_engine_options(CLI::App& command, engine::EngineOptions& options);
// --ids FILE, for token_ids.h.
CLI::Option* add_ids_option(CLI::App& command, std::string& path);

// The path itself, or the default model where it is empty.
Result<std::string> resolve_model(const std::string& path);
// Opens the engine, on the default model where none is named.
Result<std::unique_ptr<engine::Engine>> open_engine(engine::EngineOptions options);

// "A1", "REF", "plain".
std::string_view name(engine::ArithmeticKind arithmetic);

}  // namespace bolide::app
