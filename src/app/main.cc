// The program `bolide`: finds the command, runs it, says what went wrong.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <exception>
#include <fmt/format.h>
#include <sstream>

#include "app/command.h"
#include "app/standard_streams.h"
#include "base/processor.h"

namespace bolide::app {
namespace {

constexpr const char* kDescription =
    "Bolide runs the language model DeepSeek V4.1 Flash, and the small model in models/nano that comes with it.";

constexpr const char* kFooter =
    "Examples:\n"
    "  bolide run                                          a chat; Ctrl+C stops an answer, Ctrl+D ends\n"
    "  bolide run -p \"What is the capital of Norway?\"      one question, one answer\n"
    "  bolide inspect models/nano                          what a model file holds\n"
    "  echo -n \"Good morning\" | bolide tokenize            token ids of a text\n"
    "\n"
    "`bolide COMMAND --help` explains a command. The user's guide is docs/guide.md.\n"
    "Results go to stdout, progress and messages to stderr. Exit codes: 0 good, 1 failed, 2 wrong usage.";

void add_commands(CLI::App& program, Action& action) {
  add_run(program, action);
  add_inspect(program, action);
  add_tokenize(program, action);
  add_render(program, action);
  add_parse(program, action);
  add_logits(program, action);
  add_hash(program, action);
  add_eval(program, action);
  add_convert(program, action);
  add_synth(program, action);
  add_selftest(program, action);
}

int report_parse_error(const CLI::App& program, const char* problem, std::string_view first_argument) {
  const std::vector<CLI::App*> commands = program.get_subcommands();
  if (!commands.empty()) return report_wrong_usage(commands.front()->get_name(), Error{problem});
  if (first_argument.starts_with('-')) return report_wrong_usage("", Error{problem});
  return report_wrong_usage("", Error{fmt::format("there is no command {}", first_argument)});
}

int run_program(int argc, char** argv) {
  CLI::App program(kDescription, "bolide");
  program.footer(kFooter);
  program.set_version_flag("--version", "bolide " BOLIDE_VERSION);
  program.require_subcommand(0, 1);
  program.get_formatter()->column_width(26);
  Action action;
  add_commands(program, action);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    std::ostringstream text;
    program.exit(asked, text, text);
    print_out(text.str());  // not std::cout, which would forget that a write failed
    return kGood;
  } catch (const CLI::ParseError& error) {
    return report_parse_error(program, error.what(), argc > 1 ? argv[1] : "");
  }
  if (action) return action();
  print_error(program.help());
  return kWrongUsage;
}

}  // namespace
}  // namespace bolide::app

int main(int argc, char** argv) {
  using namespace bolide;
  app::prepare_standard_streams();
  if (const Status processor = check_processor(); !processor) return app::report_failure(processor.error());
  try {
    return app::finish_output(app::run_program(argc, argv));
  } catch (const std::exception& exception) {  // a library's, such as out of memory
    return app::report_failure(Error{exception.what()});
  }
}
