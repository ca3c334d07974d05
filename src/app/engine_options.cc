#include "app/engine_options.h"

#include <array>
#include <charconv>
#include <fmt/format.h>

namespace bolide::app {
namespace {

using engine::ArithmeticKind;

struct NamedArithmetic {
  std::string_view option;
  std::string_view name;
  ArithmeticKind kind;
};
constexpr std::array<NamedArithmetic, 3> kArithmetics = {{{"a1", "A1", ArithmeticKind::kA1},
                                                          {"ref", "REF", ArithmeticKind::kRef},
                                                          {"plain", "plain", ArithmeticKind::kPlain}}};

const NamedArithmetic* find_arithmetic(std::string_view option) {
  for (const NamedArithmetic& arithmetic : kArithmetics) {
    if (arithmetic.option == option) return &arithmetic;
  }
  return nullptr;
}

std::string check_arithmetic(const std::string& value) {
  if (find_arithmetic(value) != nullptr) return "";
  return fmt::format("there is no arithmetic {}; there are a1 (the engine's), ref and plain", value);
}

std::string check_backend(const std::string& value) {
  if (value == "oracle") return "";
  return fmt::format("there is no backend {} in this build; available: oracle", value);
}

}  // namespace

std::function<std::string(const std::string&)> whole_number_from(u64 least) {
  return [least](const std::string& value) -> std::string {
    u64 number = 0;
    const char* end = value.data() + value.size();
    const auto [stop, code] = std::from_chars(value.data(), end, number);
    if (code == std::errc() && stop == end && number >= least) return "";
    return fmt::format("{} is not a whole number from {} to {}", value, least, ~u64{0});
  };
}

CLI::Option* add_model_option(CLI::App& command, std::string& path) {
  return command
      .add_option("--model", path,
                  "A packed file, a GGUF, or a folder with a packed file or with the official checkpoint. Default: "
                  "$BOLIDE_MODEL, then models/nano")
      ->type_name("PATH");
}

CLI::Option* add_arithmetic_option(CLI::App& command, const std::string& name, const std::string& description,
                                   std::function<void(ArithmeticKind)> set) {
  return command
      .add_option_function<std::string>(
          name, [set = std::move(set)](const std::string& value) { set(find_arithmetic(value)->kind); }, description)
      ->check(check_arithmetic)
      ->type_name("a1|ref|plain");
}

CLI::Option* add_backend_option(CLI::App& command) {
  return command
      .add_option_function<std::string>(
          "--backend", [](const std::string&) {},
          "What computes. So far only: oracle (the scalar definition of the engine's arithmetic)")
      ->check(check_backend)
      ->type_name("oracle");
}

void add_engine_options(CLI::App& command, engine::EngineOptions& options) {
  add_model_option(command, options.model_path);
  command
      .add_option("--draft-model", options.draft_path, "A drafter's file, packed or GGUF, in place of the model's own")
      ->type_name("FILE");
  add_arithmetic_option(command, "--arithmetic",
                        "a1 (default): the engine's; ref: the official reference's; plain: ref without quantized "
                        "activations",
                        [&options](ArithmeticKind kind) { options.arithmetic = kind; });
  add_backend_option(command);
  command
      .add_option("--ctx", options.context,
                  "Tokens that there is room for. Default: the model's maximum, or what fits into memory")
      ->check(whole_number_from(1))
      ->type_name("N");
  command
      .add_option(
          "--prefill-chunk", options.prefill_chunk,
          fmt::format("Tokens computed together; changes no bit of the result. Default: {}", options.prefill_chunk))
      ->check(whole_number_from(1))
      ->type_name("N");
}

CLI::Option* add_ids_option(CLI::App& command, std::string& path) {
  return command.add_option("--ids", path, "A JSON array of token ids, as `tokenize` prints it; - for stdin")
      ->type_name("FILE");
}

Result<std::string> resolve_model(const std::string& path) {
  if (path.empty()) return engine::default_model_path();
  return path;
}

Result<std::unique_ptr<engine::Engine>> open_engine(engine::EngineOptions options) {
  Result<std::string> path = resolve_model(options.model_path);
  if (!path) return path.error();
  options.model_path = std::move(*path);
  return engine::Engine::open(options);
}

std::string_view name(ArithmeticKind arithmetic) {
  for (const NamedArithmetic& named : kArithmetics) {
    if (named.kind == arithmetic) return named.name;
  }
  return "";
}

}  // namespace bolide::app
